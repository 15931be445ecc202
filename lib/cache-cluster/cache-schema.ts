import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { factsOf } from './cluster-facts';
import { claimServerName, emitClusterResource } from './cluster-resource';
import { ICacheCluster } from './i-cache-cluster';
import { checkServerName, resourceName } from './names';
import { requireOperator } from './require-operator';
import { CacheFeature, checkCacheFeature } from './versions';
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

/** A Protobuf schema of a cluster: a `Schema` resource, which the operator has from 2.5.17. */
export class CacheSchema extends Construct {
  /** Name of the schema on the server. */
  public readonly schemaName: string;

  /** The `Schema` resource. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheSchemaProps) {
    super(scope, id);
    const { cluster, proto, labels, annotations } = props;
    const name = props.schemaName ?? id;
    // The operator adds it, too; stated, so that two schemas of one name are seen.
    this.schemaName = name.endsWith('.proto') ? name : `${name}.proto`;
    this.resource = locateErrors(this, () => {
      checkServerName(this.schemaName, 'schema');
      requireOperator(cluster, 'CacheSchema', 'put it to /rest/v2/schemas of the admin port when the servers run');
      checkCacheFeature(CacheFeature.SCHEMA_RESOURCE, factsOf(cluster).operatorVersion, 'CacheSchema');
      if (proto.trim() === '') throw new Error(`proto of schema ${this.schemaName} must not be empty`);
      claimServerName(this, cluster, 'schema', this.schemaName);
      return emitClusterResource(this, cluster, {
        kind: 'Schema',
        name: resourceName(cluster.clusterName, this.schemaName),
        spec: { clusterName: cluster.clusterName, name: this.schemaName, schema: proto },
        options: { labels, annotations },
      });
    });
  }
}
