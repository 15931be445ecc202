/**
 * Who may reach the agent's pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export class NetworkPeer {
  /** Pods with these labels, in the agent's namespace or in namespaces with the other labels. */
  public static pods(labels: Record<string, string>, namespaceLabels?: Record<string, string>): NetworkPeer {
    return new NetworkPeer({
      podSelector: { matchLabels: { ...labels } },
      ...(namespaceLabels && { namespaceSelector: { matchLabels: { ...namespaceLabels } } }),
    });
  }

  /** Every pod of the namespace with this name. */
  public static namespace(name: string): NetworkPeer {
    return new NetworkPeer({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
  }

  /** Every pod of the cluster. */
  public static everyPod(): NetworkPeer {
    return new NetworkPeer({ namespaceSelector: {} });
  }

  /** Addresses, such as those of the nodes for clients on the host network. */
  public static cidr(cidr: string, except?: string[]): NetworkPeer {
    return new NetworkPeer({ ipBlock: { cidr, ...(except && { except: [...except] }) } });
  }

  private constructor(
    /** @internal */
    public readonly _peer: any,
  ) {}
}

/** A NetworkPolicy for the agent's pods. Probes of the kubelet are always let through by Kubernetes. */
export interface AgentNetworkPolicy {
  /** Who may ask the agent. */
  readonly clients: NetworkPeer[];

  /**
   * Who may scrape metrics. Cerbos serves them on the port that answers, so they may ask, too.
   *
   * @default - nobody but, for Cerbos, the clients
   */
  readonly metrics?: NetworkPeer[];
}
