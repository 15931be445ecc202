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
  /** By which pods find the administrative port. */
  readonly adminHost: string;
  /** Where caches are declared without an operator; undefined where the cluster is made elsewhere. */
  readonly definitions?: StaticDefinitions;
  readonly previous?: PreviousManifest;
  /** Who applies resources and definitions while servers run, besides an operator. */
  readonly applier?: Applier;
  /** Whether equal names are no conflict. */
  readonly severalClusters: boolean;
}

/** A config-reconciler, from the point of view of what it is to apply. */
export interface Applier {
  /** Tells it of a definition by the name of the ConfigMap. */
  readonly expect: (configMap: string) => void;
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
