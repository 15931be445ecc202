import { NetworkPeer } from '../policy-agent/network-peer';

/** Who may reach the servers. They reach each other in any case; probes of the kubelet are always let through by Kubernetes. */
export interface CacheNetworkPolicy {
  /**
   * Who may use the caches.
   *
   * @default - everyone
   */
  readonly clients?: NetworkPeer[];

  /**
   * Who may reach the administrative port, which has the metrics.
   *
   * @default - nobody
   */
  readonly administrators?: NetworkPeer[];
}
