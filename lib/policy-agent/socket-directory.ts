/**
 * Who makes the socket's directory on the node. The kubelet makes a missing directory as root with mode 0755, so a
 * non-root agent cannot bind in it; `fsGroup` does not change a hostPath.
 */
export class SocketDirectory {
  /**
   * The kubelet, when it is missing. The agent runs as root, without any capability, so that it can write to it.
   */
  public static createdByKubelet(): SocketDirectory {
    return new SocketDirectory('DirectoryOrCreate', true);
  }

  /**
   * An init container, run as root with no capability but CHOWN, gives the directory to the agent's user.
   *
   * @param image an image with `/bin/chown`, such as `busybox:1.37`
   */
  public static chownedBy(image: string): SocketDirectory {
    return new SocketDirectory('DirectoryOrCreate', false, image);
  }

  /**
   * Whoever sets up the node: the directory exists and the agent's user may write to it. Where it is missing, the pod
   * does not start.
   */
  public static prepared(): SocketDirectory {
    return new SocketDirectory('Directory', false);
  }

  /** @internal A directory that the containers of one pod share. */
  public static _ofPod(): SocketDirectory {
    return new SocketDirectory(undefined, false);
  }

  private constructor(
    /** @internal */
    public readonly _hostPathType: string | undefined,
    /** @internal */
    public readonly _agentIsRoot: boolean,
    /** @internal */
    public readonly _chownImage?: string,
  ) {}
}
