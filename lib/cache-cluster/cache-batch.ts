import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { CacheResources } from './cache-resources';
import { emitClusterResource } from './cluster-resource';
import { ICacheCluster } from './i-cache-cluster';
import { operatorResources } from './objects/resources';
import { requireOperator } from './require-operator';
import { locateErrors } from '../private/messages';
import { checkDnsLabel, dnsLabelOf } from '../private/names';

/** Properties for `CacheBatch`. */
export interface CacheBatchProps extends CacheResourceOptions {
  /** The cluster. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the resource. A DNS label. A resource is carried out once: another batch needs another name.
   *
   * @default - the construct's id in lower case, with dashes for what a DNS label does not allow
   */
  readonly resourceName?: string;

  /**
   * Commands, one a line. Exactly one of this and `configMapName`.
   *
   * @default - those of the ConfigMap
   */
  readonly commands?: string;

  /**
   * Name of a ConfigMap, in the cluster's namespace, whose key `batch` holds commands; other keys are files that they may use.
   *
   * @default - none
   */
  readonly configMapName?: string;

  /**
   * Requests and limits of the pod that does it.
   *
   * @default - the operator's
   */
  readonly resources?: CacheResources;
}

/** Commands of Infinispan's command line tool, carried out once by the operator. */
export class CacheBatch extends Construct {
  /** The `Batch` resource. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheBatchProps) {
    super(scope, id);
    const { cluster, commands, configMapName, resources } = props;
    this.resource = locateErrors(this, () => {
      requireOperator(cluster, 'CacheBatch', 'run the command line tool in a Job of your own');
      if (Boolean(commands) === Boolean(configMapName)) {
        throw new Error(`a batch needs exactly one of commands and configMapName, given ${commands ? 'both' : 'none'}`);
      }
      return emitClusterResource(this, cluster, {
        kind: 'Batch',
        name: checkDnsLabel(props.resourceName ?? dnsLabelOf(id), 'resourceName of a batch (by default the id of the construct)'),
        spec: {
          cluster: cluster.clusterName,
          ...(commands ? { config: commands } : { configMap: configMapName }),
          ...(resources && { container: operatorResources(resources, 'the pod') }),
        },
        options: props,
      });
    });
  }
}
