import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { CacheResourceOptions } from './cache-resource-options';
import { CacheUpdateStrategy } from './cache-update-strategy';
import { factsOf } from './cluster-facts';
import { claimServerName, emitClusterResource } from './cluster-resource';
import { CacheConfiguration } from './configuration/cache-configuration';
import { ICacheCluster } from './i-cache-cluster';
import { checkServerName, resourceName } from './names';
import { locateErrors } from '../private/messages';

/** Options of `addCache`. */
export interface CacheOptions extends CacheResourceOptions {
  /**
   * How the cache behaves. Exactly one of this and `template`.
   *
   * @default - that of the template
   */
  readonly configuration?: CacheConfiguration;

  /**
   * Name of a template of the server: of one that `addTemplate` has added, or, where the cache is a resource, of any.
   *
   * @default - none
   */
  readonly template?: string;

  /**
   * What happens when a changed configuration cannot be applied. Where the cache is no resource, see `previousManifest`.
   *
   * @default CacheUpdateStrategy.RETAIN
   */
  readonly updates?: CacheUpdateStrategy;
}

/** Properties for `Cache`. */
export interface CacheProps extends CacheOptions {
  /** The cluster that has the cache. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the cache on the server: any text.
   *
   * @default - the construct's id
   */
  readonly cacheName?: string;
}

/** A cache of a cluster: a `Cache` resource with an operator or a reconciler, a part of the servers' configuration in a StatefulSet without. */
export class Cache extends Construct {
  /** Name of the cache on the server. */
  public readonly cacheName: string;

  /** The `Cache` resource; undefined where it stands in the servers' configuration. */
  public readonly resource?: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheProps) {
    super(scope, id);
    this.cacheName = props.cacheName ?? id;
    this.resource = locateErrors(this, () => {
      checkServerName(this.cacheName, 'cache');
      const { configuration, template } = props;
      if ((configuration === undefined) === (template === undefined)) {
        throw new Error(`cache ${this.cacheName} needs exactly one of configuration and template, given ${configuration ? 'both' : 'none'}`);
      }
      if (template === '') throw new Error(`template of cache ${this.cacheName} must not be empty`);
      const applied = props.cluster.deploymentMode === CacheDeploymentMode.OPERATOR || factsOf(props.cluster).applier;
      return applied ? this.emit(props) : this.declare(props);
    });
  }

  private emit({ cluster, configuration, template, updates = CacheUpdateStrategy.RETAIN, labels, annotations }: CacheProps): ApiObject {
    claimServerName(this, cluster, 'cache', this.cacheName);
    factsOf(cluster).definitions?.leaveToResource(this.cacheName);
    return emitClusterResource(this, cluster, {
      kind: 'Cache',
      name: resourceName(cluster.clusterName, this.cacheName),
      spec: {
        clusterName: cluster.clusterName,
        name: this.cacheName,
        ...(configuration ? { template: configuration.render() } : { templateName: template }),
        updates: { strategy: updates },
      },
      options: { labels, annotations },
    });
  }

  private declare({ cluster, configuration, template, updates, labels, annotations }: CacheProps): undefined {
    const { definitions } = factsOf(cluster);
    if (!definitions) {
      throw new Error(`cache ${this.cacheName}: cluster ${cluster.clusterName} has no operator, so its caches stand in its own configuration; add it where the ` +
        'cluster is made, or have a reconciler serve it (ConfigReconciler.addCluster)');
    }
    const given = Object.entries({ updates, labels, annotations }).find(([, value]) => value !== undefined);
    if (given) throw new Error(`${given[0]} of cache ${this.cacheName} is only for deploymentMode OPERATOR, or with a configReconciler: there is no resource that would have it`);
    if (configuration) {
      definitions.add({ kind: 'cache', name: this.cacheName, configuration });
    } else {
      definitions.addTemplated(this.cacheName, template!);
    }
    return undefined;
  }
}
