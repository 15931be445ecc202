import type { INetworkPolicyPeer, IPodSelector } from 'cdk8s-plus-28';
import type { CacheDeploymentMode } from './cache-deployment-mode';

/** A cluster that caches can be added to and clients be bound to, wherever it was made. */
export interface ICacheCluster extends IPodSelector, INetworkPolicyPeer {
  /** Name of the cluster, and of its Service. */
  readonly clusterName: string;

  /**
   * Namespace of the cluster.
   *
   * @default - not known at synth
   */
  readonly namespace?: string;

  /** What runs the servers. */
  readonly deploymentMode: CacheDeploymentMode;

  /** Labels that select the servers' pods. */
  readonly podLabels: Record<string, string>;
}
