import { AccessWay } from './access-way';
import { SocketDirectory } from './socket-directory';

/** Options of `AgentAccess.hostPort`. */
export interface HostPortAccessOptions {
  /**
   * Port of the node for each named port of the engine (`http`; for Cerbos also `grpc`), 1 to 65535.
   *
   * @default - the port numbers that the engine listens on
   */
  readonly ports?: Record<string, number>;
}

/** Options of `AgentAccess.unixSocket`. */
export interface UnixSocketAccessOptions {
  /**
   * Directory on the node that holds the socket, mounted at the same path into the agent and its clients. The path of
   * the socket in it may have 107 bytes. Whatever stands at the socket's path is removed when an agent starts, so no
   * two agents may share a directory.
   *
   * @default - `/run/<engine>/<namespace>/<instanceName>`; must be given when the namespace is not known at synth
   */
  readonly hostDirectory?: string;

  /**
   * Who makes the directory, and so which user can bind a socket in it.
   *
   * @default SocketDirectory.createdByKubelet()
   */
  readonly directory?: SocketDirectory;

  /**
   * File mode of the socket, octal. Clients need write permission to connect.
   *
   * @default - '0666' (every user who mounts the directory); '0660' when `group` is given
   */
  readonly mode?: string;

  /**
   * Group id that owns the socket. Clients that have it among their `supplementalGroups` may connect.
   *
   * @default - the group of the agent's user
   */
  readonly group?: number;
}

/** One way by which clients reach the agent. Ways can be combined. */
export class AgentAccess {
  /** By a Service. Its traffic policy follows from the deployment mode. Fits the `restricted` Pod Security level. */
  public static service(): AgentAccess {
    return new AgentAccess({ service: true });
  }

  /**
   * By the address of the client's own node (`status.hostIP`) and a port on it. DaemonSet only. Needs the `privileged`
   * Pod Security level, and a rollout leaves each node without an agent for a moment.
   *
   * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
   */
  public static hostPort(options: HostPortAccessOptions = {}): AgentAccess {
    for (const [name, port] of Object.entries(options.ports ?? {})) {
      if (!Number.isInteger(port) || port < 1 || port > 65535) {
        throw new Error(`host port ${name} must be a whole number from 1 to 65535, given ${port}`);
      }
    }
    return new AgentAccess({ hostPorts: options.ports ?? {} });
  }

  /**
   * By a Unix socket in a directory of the client's own node. DaemonSet only. Agent and clients need the `privileged`
   * Pod Security level, and a rollout leaves each node without a socket for a moment.
   */
  public static unixSocket(options: UnixSocketAccessOptions = {}): AgentAccess {
    const mode = options.mode ?? (options.group === undefined ? '0666' : '0660');
    if (!/^0?[0-7]{3}$/.test(mode)) {
      throw new Error(`mode of a socket must be three octal digits such as '0660', given ${JSON.stringify(mode)}`);
    }
    const { hostDirectory } = options;
    if (hostDirectory !== undefined && (!/^(\/[-_.a-zA-Z0-9]+)+$/.test(hostDirectory) || hostDirectory.split('/').includes('..'))) {
      throw new Error(`hostDirectory must be an absolute path of letters, digits, '-', '_' and '.', without a final slash, given ${JSON.stringify(hostDirectory)}`);
    }
    return new AgentAccess({
      socket: {
        hostDirectory: options.hostDirectory,
        directory: options.directory ?? SocketDirectory.createdByKubelet(),
        mode: mode.padStart(4, '0'),
        group: options.group,
      },
    });
  }

  private constructor(
    /** @internal */
    public readonly _way: AccessWay,
  ) {}
}
