import { COMPONENT_LABEL, INSTANCE_LABEL, NAME_LABEL } from '../private/labels';

/** What runs the servers of a cluster. */
export enum CacheDeploymentMode {
  /** The Infinispan operator, by an `Infinispan` resource. */
  OPERATOR = 'OPERATOR',

  /** A StatefulSet of this library; no operator is needed. */
  STATEFUL_SET = 'STATEFUL_SET',
}

/** What follows from a mode. */
export interface CacheModeTraits {
  /** Keys of the Secret that holds the users. */
  readonly usersKeys: string;
  /** Label of pods that differs between revisions, so that those of the last one do not count while new ones are placed. */
  readonly revisionLabel?: string;
  /** Over what pods are spread unless the user says otherwise. */
  readonly topologySpread: string[];
  /** Labels that select the servers' pods. */
  podLabels(clusterName: string): Record<string, string>;
}

export const CACHE_MODES: Record<CacheDeploymentMode, CacheModeTraits> = {
  [CacheDeploymentMode.OPERATOR]: {
    podLabels: (clusterName) => ({ app: 'infinispan-pod', infinispan_cr: clusterName, clusterName }),
    usersKeys: 'identities.yaml',
    topologySpread: [],
  },
  [CacheDeploymentMode.STATEFUL_SET]: {
    podLabels: (clusterName) => ({ [NAME_LABEL]: 'infinispan', [INSTANCE_LABEL]: clusterName, [COMPONENT_LABEL]: 'server' }),
    usersKeys: 'users.properties and groups.properties',
    revisionLabel: 'controller-revision-hash',
    topologySpread: ['topology.kubernetes.io/zone'],
  },
};
