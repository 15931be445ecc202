import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheBackupOptions } from './cache-backup';
import { emitClusterResource } from './cluster-resource';
import { backupSpec } from './objects/backup-spec';
import { requireOperator } from './require-operator';
import { locateErrors } from '../private/messages';
import { checkDnsLabel, dnsLabelOf } from '../private/names';

/** Properties for `CacheRestore`. */
export interface CacheRestoreProps extends CacheBackupOptions {
  /** Name of the `Backup` resource, in the cluster's namespace: `backupName` of a `CacheBackup`. */
  readonly backupName: string;
}

/** What a backup holds, put back into a cluster once by the operator. */
export class CacheRestore extends Construct {
  /** The `Restore` resource. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheRestoreProps) {
    super(scope, id);
    const { cluster, backupName } = props;
    this.resource = locateErrors(this, () => {
      requireOperator(cluster, 'CacheRestore', 'post to /rest/v2/container/restores of the admin port');
      if (!backupName) throw new Error('backupName must not be empty');
      return emitClusterResource(this, cluster, {
        kind: 'Restore',
        name: checkDnsLabel(props.resourceName ?? dnsLabelOf(id), 'resourceName of a restore (by default the id of the construct)'),
        spec: { cluster: cluster.clusterName, backup: backupName, ...backupSpec(props) },
        options: props,
      });
    });
  }
}
