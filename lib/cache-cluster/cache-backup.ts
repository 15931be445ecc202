import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { CacheResources } from './cache-resources';
import { emitClusterResource } from './cluster-resource';
import { ICacheCluster } from './i-cache-cluster';
import { backupSpec } from './objects/backup-spec';
import { requireOperator } from './require-operator';
import { locateErrors } from '../private/messages';
import { checkDnsLabel, dnsLabelOf } from '../private/names';
import { parseQuantity } from '../private/quantity';

/** What of a cluster is meant. A list that is left out means none of its kind, unless all lists are left out: then all is meant. */
export interface CacheBackupContents {
  /**
   * Names of caches; `*` means all.
   *
   * @default - none
   */
  readonly caches?: string[];

  /**
   * Names of templates; `*` means all.
   *
   * @default - none
   */
  readonly templates?: string[];

  /**
   * Names of counters; `*` means all.
   *
   * @default - none
   */
  readonly counters?: string[];

  /**
   * Names of schemas; `*` means all.
   *
   * @default - none
   */
  readonly schemas?: string[];

  /**
   * Names of tasks; `*` means all.
   *
   * @default - none
   */
  readonly tasks?: string[];
}

/** Options that backups, and what is made of them, have. */
export interface CacheBackupOptions extends CacheResourceOptions {
  /** The cluster. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the resource. A DNS label. A resource is carried out once: another backup needs another name.
   *
   * @default - the construct's id in lower case, with dashes for what a DNS label does not allow
   */
  readonly resourceName?: string;

  /**
   * What is meant.
   *
   * @default - everything
   */
  readonly contents?: CacheBackupContents;

  /**
   * Requests and limits of the pod that does it.
   *
   * @default - 1Gi of memory
   */
  readonly resources?: CacheResources;
}

/** Properties for `CacheBackup`. */
export interface CacheBackupProps extends CacheBackupOptions {
  /**
   * Bytes of the volume, as a Kubernetes quantity.
   *
   * @default - the operator's: as much as a server has
   */
  readonly storage?: string;

  /**
   * Storage class of the volume.
   *
   * @default - the Kubernetes cluster's default
   */
  readonly storageClassName?: string;
}

/** A backup of a cluster's contents, made once by the operator. */
export class CacheBackup extends Construct {
  /** Name of the resource, by which it is restored. */
  public readonly backupName: string;

  /** The `Backup` resource. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheBackupProps) {
    super(scope, id);
    const { cluster, storage, storageClassName } = props;
    this.backupName = props.resourceName ?? dnsLabelOf(id);
    this.resource = locateErrors(this, () => {
      requireOperator(cluster, 'CacheBackup', 'post to /rest/v2/container/backups of the admin port');
      if (storage !== undefined) parseQuantity(storage, 'storage of a backup');
      return emitClusterResource(this, cluster, {
        kind: 'Backup',
        name: checkDnsLabel(this.backupName, 'resourceName of a backup (by default the id of the construct)'),
        spec: {
          cluster: cluster.clusterName,
          ...((storage || storageClassName) && { volume: { ...(storage && { storage }), ...(storageClassName && { storageClassName }) } }),
          ...backupSpec(props),
        },
        options: props,
      });
    });
  }
}
