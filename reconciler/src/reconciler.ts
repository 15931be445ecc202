import { CacheIndex } from './caches/cache-index';
import { Mirrors } from './caches/mirrors';
import { ownersOf } from './caches/ownership';
import { Cluster } from './cluster';
import { ClusterConfiguration, Configuration, Orphans } from './configuration';
import { EventRecorder } from './kubernetes/event-recorder';
import { KubernetesClient } from './kubernetes/kubernetes-client';
import { CacheResource, cachesPath } from './kubernetes/objects';
import { Watcher } from './kubernetes/watcher';
import { Log, messageOf } from './log';
import { Metrics } from './metrics';
import { KeyedQueue } from './work/keyed-queue';

export interface ReconcilerOptions {
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** All clusters of the configuration, and the one watch that tells what resources there are for them. */
export class Reconciler {
  private readonly clusters = new Map<string, Cluster>();
  private readonly index: CacheIndex;
  private readonly stopped = new AbortController();
  private readonly indexed: Promise<void>;
  /** Names of clusters whose mirrors nobody looks after. */
  private readonly orphans: KeyedQueue;
  private allListed?: () => void;
  private watching?: Promise<void>;
  private running: Configuration;
  private settling = Promise.resolve();

  public constructor(private readonly options: ReconcilerOptions, configuration: Configuration) {
    const { log } = options;
    this.running = { ...configuration, clusters: [] };
    this.index = new CacheIndex((cluster, cache) => this.resourceChanged(cluster, cache));
    this.indexed = new Promise((resolve) => this.allListed = resolve);
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
    return [...this.clusters.values()].flatMap(({ name, notReady }) => notReady === undefined ? [] : [`${name}: ${notReady}`]);
  }

  public start() {
    const { kubernetes, namespace, log, metrics } = this.options;
    const watcher = new Watcher<CacheResource>(kubernetes, { path: cachesPath(namespace) }, {
      put: (resource) => this.index.put(resource),
      remove: ({ metadata: { uid } }) => this.index.remove(uid),
      listed: (uids) => {
        this.index.keep(uids);
        this.allListed?.();
        this.findOrphans();
      },
      failed: (error) => {
        metrics.count('watch_failures_total', 'Watches of the resources that ended by a failure.');
        log.warn('cannot follow the Cache resources', { error: messageOf(error) });
      },
    });
    this.watching = watcher.run(this.stopped.signal);
    void this.indexed.then(() => this.orphans.release());
  }

  /** Takes another configuration: what is as before goes on undisturbed. */
  public async configure(configuration: Configuration): Promise<void> {
    // One after another, however fast they come.
    this.settling = this.settling.then(async () => this.settle(configuration));
    await this.settling;
  }

  public async stop() {
    this.stopped.abort();
    this.orphans.hold();
    this.orphans.clear();
    await this.settling;
    await Promise.all([this.watching, ...[...this.clusters.values()].map(async (cluster) => cluster.stop())]);
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
    for (const [name, cluster] of after) {
      if (!same(name)) this.add(cluster);
    }
    this.findOrphans();
  }

  private add(cluster: ClusterConfiguration) {
    const { kubernetes, namespace, log, metrics } = this.options;
    const { instance } = this.running;
    const events = new EventRecorder(kubernetes, namespace, instance, (error) => log.warn('cannot write an Event', { error: messageOf(error) }));
    const one = new Cluster({ instance, cluster, namespace, kubernetes, index: this.index, indexed: this.indexed, events, log, metrics });
    this.clusters.set(cluster.name, one);
    log.info('a cluster is served', { cluster: cluster.name });
    one.start();
  }

  private resourceChanged(cluster: string, cache: string) {
    this.clusters.get(cluster)?.resourceChanged(cache);
  }

  private findOrphans() {
    if (this.running.orphans !== Orphans.REMOVE) return;
    for (const cluster of this.index.clusters()) {
      if (!this.clusters.has(cluster)) this.orphans.add(cluster);
    }
  }

  private async removeOrphans(cluster: string) {
    const { kubernetes, namespace } = this.options;
    const { instance } = this.running;
    // Whether an operator acts on them cannot be known any more, so they are marked for it in any case.
    const mirrors = new Mirrors({ kubernetes, index: this.index, namespace, instance, operator: true });
    for (const cache of this.index.cachesOf(cluster)) {
      if (this.clusters.has(cluster)) return;
      for (const mirror of ownersOf(this.index.of(cluster, cache)).mirrors) {
        if (mirror.madeBy === instance && !mirror.paused) await mirrors.remove(mirror);
      }
    }
  }
}
