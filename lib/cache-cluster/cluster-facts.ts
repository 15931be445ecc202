import { IConstruct } from 'constructs';
import { ICacheCluster } from './i-cache-cluster';
import { PreviousManifest } from './previous-manifest';
import { StaticDefinitions } from './server/static-definitions';

/** What constructs of a cluster must know besides its public face. */
export interface ClusterFacts {
  /** Undefined when it is the newest. */
  readonly version?: string;
  /** Undefined when it is the newest. */
  readonly operatorVersion?: string;
  readonly authentication: boolean;
  /** Secret with `username` and `password` of clients. */
  readonly clientCredentialsSecret?: string;
  /** Secret whose `ca.crt` verifies the servers; undefined in plain text. */
  readonly caSecret?: string;
  readonly host: string;
  /** Where caches are declared without an operator; undefined where the cluster is made elsewhere. */
  readonly definitions?: StaticDefinitions;
  readonly previous?: PreviousManifest;
  /** Whether equal names are no conflict. */
  readonly severalClusters: boolean;
}

const known = new WeakMap<ICacheCluster, ClusterFacts>();

export function stateFacts(cluster: ICacheCluster & IConstruct, facts: ClusterFacts) {
  known.set(cluster, facts);
}

export function factsOf(cluster: ICacheCluster): ClusterFacts {
  const facts = known.get(cluster);
  if (!facts) throw new Error(`cluster ${cluster.clusterName} must be a CacheCluster or come from CacheCluster.fromName`);
  return facts;
}
