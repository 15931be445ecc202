import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { CacheResourceOptions } from './cache-resource-options';
import { factsOf } from './cluster-facts';
import { claimServerName, emitClusterResource } from './cluster-resource';
import { define } from './definition';
import { ICacheCluster } from './i-cache-cluster';
import { checkServerName, resourceName } from './names';
import { CacheFeature, checkCacheFeature, hasFeature } from './versions';
import { locateErrors } from '../private/messages';

/** Options of `addSchema`. */
export interface CacheSchemaOptions extends CacheResourceOptions {
  /** The schema in Protocol Buffers' language. */
  readonly proto: string;
}

/** Properties for `CacheSchema`. */
export interface CacheSchemaProps extends CacheSchemaOptions {
  /** The cluster that has the schema. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the schema on the server, such as `sessions.proto`.
   *
   * @default - the construct's id, with `.proto`
   */
  readonly schemaName?: string;
}

/** A Protobuf schema of a cluster: a `Schema` resource, which the operator has from 2.5.17, or else a ConfigMap that the cluster's reconciler applies. */
export class CacheSchema extends Construct {
  /** Name of the schema on the server. */
  public readonly schemaName: string;

  /** The `Schema` resource, or the ConfigMap. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheSchemaProps) {
    super(scope, id);
    const { cluster, proto, labels, annotations } = props;
    const name = props.schemaName ?? id;
    // The operator adds it, too; stated, so that two schemas of one name are seen.
    this.schemaName = name.endsWith('.proto') ? name : `${name}.proto`;
    this.resource = locateErrors(this, () => {
      checkServerName(this.schemaName, 'schema');
      if (proto.trim() === '') throw new Error(`proto of schema ${this.schemaName} must not be empty`);
      if (!this.hasResource(cluster)) return define(this, cluster, { kind: 'schema', name: this.schemaName, text: proto, options: { labels, annotations } })!;
      claimServerName(this, cluster, 'schema', this.schemaName);
      return emitClusterResource(this, cluster, {
        kind: 'Schema',
        name: resourceName(cluster.clusterName, this.schemaName),
        spec: { clusterName: cluster.clusterName, name: this.schemaName, schema: proto },
        options: { labels, annotations },
      });
    });
  }

  /** Whether an operator knows the resource. An older one is no reason to refuse it where a reconciler would apply it. */
  private hasResource(cluster: ICacheCluster): boolean {
    if (cluster.deploymentMode !== CacheDeploymentMode.OPERATOR) return false;
    const { operatorVersion, applier } = factsOf(cluster);
    if (applier && operatorVersion !== undefined) return hasFeature(CacheFeature.SCHEMA_RESOURCE, operatorVersion);
    checkCacheFeature(CacheFeature.SCHEMA_RESOURCE, operatorVersion, 'CacheSchema of a cluster without a reconciler');
    return true;
  }
}
