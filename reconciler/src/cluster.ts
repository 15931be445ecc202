import { readFileSync } from 'fs';
import { CacheIndex } from './caches/cache-index';
import { CacheReconciler } from './caches/cache-reconciler';
import { Mirrors } from './caches/mirrors';
import { UserResources } from './caches/user-resources';
import { ClusterConfiguration } from './configuration';
import { Credentials } from './infinispan/authentication';
import { isInternal, InfinispanClient, ServerError } from './infinispan/infinispan-client';
import { EventRecorder } from './kubernetes/event-recorder';
import { KubernetesClient } from './kubernetes/kubernetes-client';
import { KubernetesObject } from './kubernetes/objects';
import { WatchedObject } from './kubernetes/watched-object';
import { Log, messageOf } from './log';
import { Metrics } from './metrics';
import { backOffMs, pause } from './work/back-off';
import { KeyedQueue } from './work/keyed-queue';

export interface ClusterOptions {
  /** Which one of several of these programs it is. */
  readonly instance: string;
  readonly cluster: ClusterConfiguration;
  readonly namespace: string;
  readonly kubernetes: KubernetesClient;
  readonly index: CacheIndex;
  /** Until the resources are listed for the first time. */
  readonly indexed: Promise<void>;
  readonly events: EventRecorder;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface SecretObject extends KubernetesObject {
  readonly data?: Record<string, string>;
}

interface InfinispanObject extends KubernetesObject {
  readonly spec?: { readonly configListener?: { readonly enabled?: boolean } };
}

const KEY_BACK_OFF = { firstMs: 50, longestMs: 30_000 };
const RECONNECT = { firstMs: 100, longestMs: 5_000 };
/** A stream that lasted so long was no failure. */
const LASTING_MS = 10_000;
/** Who is not let in must not knock all the time. */
const NOT_LET_IN = { firstMs: 10_000, longestMs: 120_000 };
/** Requests to one cluster at a time. */
const WIDTH = 6;
/** The stream is open, but nothing comes: after so long it is taken to listen. */
const SILENT_MS = 5_000;

/**
 * One cluster: a stream that tells what happens, and a queue of what is to be looked at. Whenever the stream is opened, all that
 * the server and the resources have is looked at, once.
 */
export class Cluster {
  private readonly stopped = new AbortController();
  private readonly queue: KeyedQueue;
  private readonly secret?: WatchedObject<SecretObject>;
  private readonly infinispan?: WatchedObject<InfinispanObject>;
  private readonly log: Log;
  private readonly stopCollecting: () => void;
  private lastCredentials?: string;
  private session?: AbortController;
  private reconciler?: CacheReconciler;
  /** Why it is not ready. */
  private problem?: string = 'not connected yet';
  /** Ends what is waited for between two streams. */
  private wake?: () => void;
  private running?: Promise<unknown>;

  public constructor(private readonly options: ClusterOptions) {
    const { cluster, kubernetes, namespace, log, metrics } = options;
    this.log = log.with({ cluster: cluster.name });
    this.queue = new KeyedQueue({
      width: WIDTH,
      backOff: KEY_BACK_OFF,
      work: async (key) => this.reconciler!.reconcile(key),
      failed: (key, error, retryMs) => this.keyFailed(key, error, retryMs),
      done: (_, lagMs) => {
        this.count('reconciled_total', 'Caches that were looked at.');
        this.count('lag_seconds_total', 'Seconds between the events and the ends of the looks that they led to.', {}, lagMs / 1000);
      },
    });
    if (cluster.secret) {
      this.secret = new WatchedObject(kubernetes, `/api/v1/namespaces/${namespace}/secrets`, cluster.secret, () => this.credentialsChanged());
    }
    if (cluster.operator) {
      this.infinispan = new WatchedObject(kubernetes, `/apis/infinispan.org/v1/namespaces/${namespace}/infinispans`, cluster.name, () => this.permissionChanged());
    }
    this.stopCollecting = metrics.collect(() => this.stateNumbers());
  }

  public get name(): string {
    return this.options.cluster.name;
  }

  /** Why it is not ready; undefined when it is. */
  public get notReady(): string | undefined {
    return this.problem;
  }

  public start() {
    const { signal } = this.stopped;
    const failed = (what: string) => (error: unknown) => {
      // What is in step stays so: what was read before is still true, as far as anybody knows.
      if (!this.session) this.problem = `cannot read ${what}`;
      this.log.warn(`cannot read ${what}`, { error: messageOf(error) });
    };
    this.running = Promise.all([
      this.secret?.run(signal, failed('the Secret')),
      this.infinispan?.run(signal, failed('the Infinispan resource')),
      this.connectAgainAndAgain(signal),
    ]);
  }

  /** Ends in good order: what is being written is written. */
  public async stop() {
    this.queue.hold();
    this.queue.clear();
    this.stopped.abort();
    this.session?.abort();
    this.wake?.();
    this.stopCollecting();
    await this.running;
  }

  /** A resource of the cluster has changed. Without a session nothing is looked at; each one begins with all. */
  public resourceChanged(cache: string) {
    if (this.session) this.queue.add(cache);
  }

  private async connectAgainAndAgain(signal: AbortSignal) {
    await Promise.race([this.options.indexed, aborted(signal)]);
    for (let failures = 0; !signal.aborted;) {
      const hindrance = this.hindrance();
      if (hindrance !== undefined) {
        this.setProblem(hindrance);
        await new Promise<void>((resolve) => this.wake = resolve);
        continue;
      }
      let backOff = RECONNECT;
      const started = performance.now();
      try {
        await this.connect();
        if (!signal.aborted) this.log.info('the stream ended');
      } catch (error) {
        if (error instanceof ServerError && error.unauthorized) backOff = NOT_LET_IN;
        if (!signal.aborted) {
          this.setProblem(messageOf(error));
          this.log.warn('cannot follow the server', { error: messageOf(error) });
        }
      }
      failures = performance.now() - started > LASTING_MS ? 1 : failures + 1;
      this.count('reconnects_total', 'Ends of the stream, for whatever reason.');
      const waiting = new AbortController();
      this.wake = () => waiting.abort();
      await pause(backOffMs(failures, backOff), waiting.signal);
    }
  }

  /** One stream, from its opening to its end. */
  private async connect() {
    const session = new AbortController();
    this.session = session;
    const server = this.client();
    this.reconciler = this.reconcilerFor(server);
    let listens: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => listens = resolve);
    const stream = server.listen({
      event: ({ of, name }) => {
        listens();
        this.count('events_total', 'Events of the server.', { of });
        if (of === 'cache' && !isInternal(name)) this.queue.add(name);
      },
      ignored: listens,
      unreadable: (type) => {
        this.log.warn('an event names nothing that can be read, so everything is looked at', { type });
        session.abort();
      },
      cut: (type) => {
        this.count('long_events_total', 'Events of which only the beginning was kept.');
        this.log.info('an event is long: its cache is read instead', { after: type });
      },
    }, session.signal);
    // Its end is awaited below, but may come before.
    stream.catch(() => undefined);
    try {
      const silent = pause(SILENT_MS, session.signal);
      await Promise.race([listening, silent, stream]);
      if (!session.signal.aborted) await this.lookAtEverything(server);
      await stream;
    } catch (error) {
      if (!session.signal.aborted) throw error;
      if (session.signal.reason instanceof ServerError) throw session.signal.reason;
    } finally {
      session.abort();
      this.session = undefined;
      this.queue.hold();
      this.queue.clear();
      await this.queue.drain();
      this.queue.clear();
      server.close();
    }
  }

  private async lookAtEverything(server: InfinispanClient) {
    const { index, cluster } = this.options;
    const names = new Set([...await server.cacheNames(), ...index.cachesOf(cluster.name)]);
    for (const name of names) this.queue.add(name);
    const session = this.session;
    this.queue.release();
    void this.queue.drain().then(() => {
      if (this.session !== session || session?.signal.aborted) return;
      this.log.info('in step', { caches: names.size });
      this.problem = undefined;
    });
  }

  private client(): InfinispanClient {
    const { url, caFile, serverName } = this.options.cluster;
    return new InfinispanClient({
      url,
      tls: { ...(caFile && { ca: readFileSync(caFile, 'utf8') }), ...(serverName && { servername: serverName }) },
      credentials: () => this.credentials(),
    });
  }

  private reconcilerFor(server: InfinispanClient): CacheReconciler {
    const { cluster: { name, operator, direction, removal }, instance, kubernetes, namespace, index, events } = this.options;
    return new CacheReconciler({
      cluster: name,
      server,
      index,
      mirrors: new Mirrors({ kubernetes, index, namespace, instance, operator }),
      users: new UserResources({ kubernetes, server, index, events, namespace, direction, removal }),
    });
  }

  /** Why nothing may be done. */
  private hindrance(): string | undefined {
    const { cluster } = this.options;
    if (cluster.paused) return 'paused by the configuration';
    if (this.secret && !this.credentials()) {
      const missing = `Secret ${cluster.secret} with keys ${cluster.usernameKey} and ${cluster.passwordKey} is missing`;
      return this.secret.seen ? missing : 'the Secret is not read yet';
    }
    if (!this.infinispan) return undefined;
    if (!this.infinispan.seen) return 'the Infinispan resource is not read yet';
    if (!this.infinispan.value) return `Infinispan ${cluster.name} is missing`;
    return this.infinispan.value.spec?.configListener?.enabled === false ? undefined
      : `the operator's own listener is on: set spec.configListener.enabled of Infinispan ${cluster.name} to false`;
  }

  private credentials(): Credentials | undefined {
    const { usernameKey, passwordKey } = this.options.cluster;
    const { [usernameKey]: username, [passwordKey]: password } = this.secret?.value?.data ?? {};
    if (username === undefined || password === undefined) return undefined;
    const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
    return { username: text(username), password: text(password) };
  }

  /** A new session asks with what the Secret says now. */
  private credentialsChanged() {
    const now = JSON.stringify(this.credentials());
    if (now === this.lastCredentials) return;
    this.lastCredentials = now;
    this.session?.abort();
    this.wake?.();
  }

  private permissionChanged() {
    if (this.session && this.hindrance() === undefined) return;
    this.session?.abort();
    this.wake?.();
  }

  private setProblem(problem: string) {
    if (problem !== this.problem) this.log.warn('not in step', { reason: problem });
    this.problem = problem;
  }

  private keyFailed(key: string, error: unknown, retryMs: number) {
    this.count('failures_total', 'Looks at a cache that failed, and are tried again.');
    this.log.warn('a cache is not in step yet', { cache: key, error: messageOf(error), retryMs: Math.round(retryMs) });
    // Who is not let in has nothing to do here any more: it begins anew, slowly.
    if (error instanceof ServerError && error.unauthorized) this.session?.abort(error);
  }

  private count(name: string, help: string, labels: Record<string, string> = {}, by = 1) {
    this.options.metrics.count(name, help, { cluster: this.name, ...labels }, by);
  }

  private stateNumbers() {
    const { metrics, index } = this.options;
    const cluster = this.name;
    metrics.gauge('ready', 'Whether everything was looked at since the stream was opened.', { cluster }, this.problem === undefined ? 1 : 0);
    metrics.gauge('queue_length', 'Caches that are to be looked at.', { cluster }, this.queue.depth);
    metrics.gauge('caches', 'Caches that resources stand for.', { cluster }, index.cachesOf(cluster).length);
    for (const [state, count] of this.reconciler?.countStates() ?? []) {
      metrics.gauge('user_caches', 'Caches with a resource of a user, by what is to be said of them.', { cluster, state }, count);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
