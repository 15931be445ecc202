import { CacheIndex } from './caches/cache-index';
import { CacheRecord } from './caches/cache-record';
import { Mirrors } from './caches/mirrors';
import { ownersOf } from './caches/ownership';
import { Cluster } from './cluster';
import { ClusterConfiguration, Configuration } from './configuration';
import { ConfigMap, DefinitionIndex, DefinitionRecord } from './definitions/definition-record';
import { EventRecorder } from './kubernetes/event-recorder';
import { IndexedWatch } from './kubernetes/indexed-watch';
import { KubernetesClient } from './kubernetes/kubernetes-client';
import { CacheResource, cachesPath } from './kubernetes/objects';
import { Log, messageOf } from './log';
import { Metrics } from './metrics';
import { KeyedQueue } from './work/keyed-queue';
import { keyOf } from './work/keys';
import { ConfigOrphans } from '../../lib/cache-cluster/reconciler/config-policies';
import { CACHE_CLUSTER_LABEL, CACHE_DEFINITION_LABEL } from '../../lib/private/labels';

export interface ReconcilerOptions {
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** All clusters of the configuration, and the watches that tell what resources there are for them: one of each kind for all. */
export class Reconciler {
  private readonly clusters = new Map<string, Cluster>();
  private readonly index: CacheIndex;
  private readonly definitions: DefinitionIndex;
  /** Names of clusters whose mirrors nobody looks after. */
  private readonly orphans: KeyedQueue;
  private cacheWatch?: IndexedWatch<CacheResource, CacheRecord>;
  private definitionWatch?: IndexedWatch<ConfigMap, DefinitionRecord>;
  private running: Configuration;
  private settling = Promise.resolve();

  public constructor(private readonly options: ReconcilerOptions, configuration: Configuration) {
    const { log } = options;
    this.running = { ...configuration, clusters: [] };
    this.index = new CacheIndex((cluster, cache) => this.resourceChanged(cluster, keyOf('cache', cache)));
    this.definitions = new DefinitionIndex((cluster, key) => this.resourceChanged(cluster, key));
    this.orphans = new KeyedQueue({
      width: 1,
      backOff: { firstMs: 1000, longestMs: 60_000 },
      work: async (name) => this.removeOrphans(name),
      failed: (cluster, error) => log.warn('cannot remove mirrors of a cluster that is not served any more', { cluster, error: messageOf(error) }),
      done: () => undefined,
    });
    void this.configure(configuration);
  }

  /** Why it is not ready; empty when it is. */
  public get notReady(): string[] {
    const clusters = [...this.clusters.values()].flatMap(({ name, notReady }) => notReady === undefined ? [] : [`${name}: ${notReady}`]);
    return [this.cacheWatch?.notReady, this.definitionWatch?.notReady, ...clusters].filter((reason) => reason !== undefined);
  }

  public start() {
    const { kubernetes, namespace } = this.options;
    this.cacheWatch = new IndexedWatch(kubernetes, {
      what: 'Cache resources', path: cachesPath(namespace), index: this.index, listed: () => this.findOrphans(), failed: (error) => this.watchFailed(error, 'caches'),
    });
    void this.cacheWatch.listed.then(() => this.orphans.release());
  }

  /** Takes another configuration: what is as before goes on undisturbed. */
  public async configure(configuration: Configuration): Promise<void> {
    // One after another, however fast they come.
    this.settling = this.settling.then(async () => this.settle(configuration));
    await this.settling;
  }

  public async stop() {
    this.orphans.hold();
    this.orphans.clear();
    await this.settling;
    await Promise.all([this.cacheWatch?.stop(), this.definitionWatch?.stop(), ...[...this.clusters.values()].map(async (cluster) => cluster.stop())]);
  }

  private async settle(configuration: Configuration) {
    const { log } = this.options;
    log.set(configuration.logLevel);
    const before = new Map(this.running.clusters.map((cluster) => [cluster.name, cluster]));
    const after = new Map(configuration.clusters.map((cluster) => [cluster.name, cluster]));
    this.running = configuration;
    const same = (name: string) => JSON.stringify(before.get(name)) === JSON.stringify(after.get(name));
    for (const name of before.keys()) {
      if (same(name)) continue;
      log.info('a cluster is let go', { cluster: name });
      await this.clusters.get(name)!.stop();
      this.clusters.delete(name);
    }
    await this.settleDefinitions();
    for (const [name, cluster] of after) {
      if (!same(name)) this.add(cluster);
    }
    this.findOrphans();
  }

  private async settleDefinitions() {
    const { kubernetes, namespace } = this.options;
    const { definitions } = this.running;
    if (definitions && !this.definitionWatch) {
      this.definitionWatch = new IndexedWatch(kubernetes, {
        what: 'ConfigMaps with definitions',
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        query: { labelSelector: `${CACHE_CLUSTER_LABEL},${CACHE_DEFINITION_LABEL}` },
        index: this.definitions,
        failed: (error) => this.watchFailed(error, 'configmaps'),
      });
    } else if (!definitions) {
      await this.definitionWatch?.forget();
      this.definitionWatch = undefined;
    }
  }

  private watchFailed(error: unknown, resource: string) {
    const { log, metrics } = this.options;
    metrics.count('watch_failures_total', 'Watches of the resources that ended by a failure.', { resource });
    log.warn('cannot follow the resources', { resource, error: messageOf(error) });
  }

  private add(cluster: ClusterConfiguration) {
    const { kubernetes, namespace, log, metrics } = this.options;
    const { instance } = this.running;
    const events = new EventRecorder(kubernetes, namespace, instance, (error) => log.warn('cannot write an Event', { error: messageOf(error) }));
    const one = new Cluster({
      instance, cluster, namespace, kubernetes, index: this.index, definitions: this.definitions, indexed: this.listed(), events, log, metrics,
    });
    this.clusters.set(cluster.name, one);
    log.info('a cluster is served', { cluster: cluster.name });
    one.start();
  }

  private async listed() {
    await Promise.all([this.cacheWatch!.listed, this.definitionWatch?.listed]);
  }

  private resourceChanged(cluster: string, key: string) {
    this.clusters.get(cluster)?.resourceChanged(key);
  }

  private findOrphans() {
    if (this.running.orphans !== ConfigOrphans.REMOVE) return;
    for (const cluster of this.index.clusters()) {
      if (!this.clusters.has(cluster)) this.orphans.add(cluster);
    }
  }

  private async removeOrphans(cluster: string) {
    const { kubernetes, namespace } = this.options;
    const { instance } = this.running;
    // Whether an operator acts on them cannot be known any more, so they are marked for it in any case.
    const mirrors = new Mirrors({ kubernetes, index: this.index, namespace, instance, operator: true });
    for (const cache of this.index.keysOf(cluster)) {
      if (this.clusters.has(cluster)) return;
      for (const mirror of ownersOf(this.index.of(cluster, cache)).mirrors) {
        if (mirror.madeBy === instance && !mirror.paused) await mirrors.remove(mirror);
      }
    }
  }
}
