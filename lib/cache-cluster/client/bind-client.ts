import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { CacheClientOptions } from './cache-client-options';
import { cacheClientBinding } from './client-binding';
import { addAffinity } from '../../client/add-affinity';
import { termsFor } from '../../client/affinity-terms';
import { bindPod } from '../../client/bind-pod';
import { checkAffinityOptions } from '../../client/check-affinity-options';
import { PodPlace } from '../../client/client-kind';
import { clientKindOf } from '../../client/client-kinds';
import { pathOf, updateAt, valueAt } from '../../client/json-path';
import { changeLate, LateChange } from '../../client/late-changes';
import { hasPlace, mapResources, mayMakePods, nameOf, objectsIn, selects } from '../../client/resources';
import { Json } from '../../private/merge';
import { locateErrors, warn } from '../../private/messages';
import { factsOf } from '../cluster-facts';
import { ICacheCluster } from '../i-cache-cluster';

/** Makes a construct a client of a cluster. What it holds is changed at synth. */
export function bindCacheClient(cluster: ICacheCluster & IConstruct, client: IConstruct, options: CacheClientOptions = {}) {
  locateErrors(cluster, () => checkAffinityOptions(options));
  changeLate(cluster, new CacheClient(cluster, client, options));
}

class CacheClient implements LateChange {
  private readonly seen = new Set<ApiObject>();
  private bound = false;

  constructor(
    private readonly cluster: ICacheCluster & IConstruct,
    private readonly client: IConstruct,
    private readonly options: CacheClientOptions,
  ) {}

  public objects(): ApiObject[] {
    return objectsIn(this.client).filter(mayMakePods);
  }

  public change(json: Json, object: ApiObject): Json {
    const again = this.seen.has(object);
    this.seen.add(object);
    return mapResources(json, (resource) => {
      const name = `client ${object.node.path} (${nameOf(resource)})`;
      const say = (message: string) => again || warn(this.cluster, `${name}: ${message}`);
      // Of a custom resource nobody knows which of its pods use a cache.
      const places = clientKindOf(resource)?.places.filter((place) => place.podSpec && hasPlace(resource, place)) ?? [];
      if (places.length === 0) return resource;
      this.bound = true;
      try {
        return this.bind(resource, places, say);
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`);
      }
    });
  }

  public check(): string[] {
    if (this.bound) return [];
    const kinds = [...new Set(objectsIn(this.client).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].join(', ') || 'no objects';
    return [`client ${this.client.node.path} holds no workload that could use caches of ${this.cluster.clusterName}, but ${kinds}`];
  }

  private bind(resource: Json, places: PodPlace[], say: (message: string) => void): Json {
    const { cluster, options } = this;
    const namespace = resource.metadata?.namespace;
    if (selects(cluster, resource, places)) throw new Error(`it is the cluster ${cluster.clusterName} itself`);
    if (cluster.namespace === undefined && namespace !== undefined) {
      throw new Error(`it is in namespace ${namespace}, but the cluster's namespace is not known at synth: give both, or none, a namespace`);
    }
    const terms = termsFor(cluster, namespace, options);
    const binding = cacheClientBinding(cluster, factsOf(cluster), options, namespace);
    return places.reduce((result, place) => {
      const near = addAffinity(result, place, { terms, catalogs: () => [], warn: say });
      return updateAt(near, pathOf(place.podSpec!), () => bindPod(valueAt(near, pathOf(place.podSpec!)), binding, say));
    }, resource);
  }
}
