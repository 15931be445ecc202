import { readFileSync } from 'fs';
import { CacheIndex } from './caches/cache-index';
import { CacheReconciler } from './caches/cache-reconciler';
import { Mirrors } from './caches/mirrors';
import { Told } from './caches/told';
import { UserResources } from './caches/user-resources';
import { ClusterConfiguration } from './configuration';
import { DefinitionReconciler } from './definitions/definition-reconciler';
import { DefinitionIndex } from './definitions/definition-record';
import { Credentials } from './infinispan/authentication';
import { ServerEvent } from './infinispan/event-reader';
import { EventStream } from './infinispan/event-stream';
import { EventStreams } from './infinispan/event-streams';
import { isInternal, InfinispanClient, ServerError } from './infinispan/infinispan-client';
import { EventRecorder } from './kubernetes/event-recorder';
import { KubernetesClient } from './kubernetes/kubernetes-client';
import { KubernetesObject } from './kubernetes/objects';
import { ServiceEndpoints } from './kubernetes/service-endpoints';
import { WatchedObject } from './kubernetes/watched-object';
import { Log, messageOf } from './log';
import { Metrics } from './metrics';
import { KeyedQueue } from './work/keyed-queue';
import { keyOf, partsOf } from './work/keys';

export interface ClusterOptions {
  /** Which one of several of these programs it is. */
  readonly instance: string;
  readonly cluster: ClusterConfiguration;
  readonly namespace: string;
  readonly kubernetes: KubernetesClient;
  readonly index: CacheIndex;
  readonly definitions: DefinitionIndex;
  /** Until all resources are listed for the first time. */
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

/** What works while at least one stream is open. */
interface Session {
  readonly server: InfinispanClient;
  readonly caches: CacheReconciler;
  readonly definitions: DefinitionReconciler;
}

const KEY_BACK_OFF = { firstMs: 50, longestMs: 30_000 };
/** Requests to one cluster at a time. */
const WIDTH = 6;

/**
 * One cluster: streams that tell what happens, most often one, and a queue of what is to be looked at. Whenever a stream is
 * opened, all that the server and the resources have is looked at, once.
 */
export class Cluster {
  private readonly stopped = new AbortController();
  private readonly queue: KeyedQueue;
  private readonly streams: EventStreams;
  private readonly secret?: WatchedObject<SecretObject>;
  private readonly infinispan?: WatchedObject<InfinispanObject>;
  private readonly servers?: ServiceEndpoints;
  private readonly log: Log;
  private readonly stopCollecting: () => void;
  private lastCredentials?: string;
  private session?: Session;
  /** Undefined when all was looked at. */
  private told?: Told = new Told();
  /** Why it is not ready. */
  private problem?: string = 'not connected yet';
  /** Whether the resources are listed, so that streams may be opened. */
  private indexed = false;
  private running?: Promise<unknown>;
  private adjusting = Promise.resolve();
  /** Looks at everything that have not ended. */
  private looks = 0;

  public constructor(private readonly options: ClusterOptions) {
    const { cluster, kubernetes, namespace, log, metrics } = options;
    this.log = log.with({ cluster: cluster.name });
    this.queue = new KeyedQueue({
      width: WIDTH,
      backOff: KEY_BACK_OFF,
      work: async (key) => this.reconcile(key),
      failed: (key, error, retryMs) => this.keyFailed(key, error, retryMs),
      done: (_, lagMs) => {
        this.count('reconciled_total', 'Caches and definitions that were looked at.');
        this.count('lag_seconds_total', 'Seconds between the events and the ends of the looks that they led to.', {}, lagMs / 1000);
      },
    });
    this.streams = new EventStreams((url) => this.stream(url));
    if (cluster.secret) {
      this.secret = new WatchedObject(kubernetes, `/api/v1/namespaces/${namespace}/secrets`, cluster.secret, () => this.credentialsChanged());
    }
    if (cluster.operator) {
      this.infinispan = new WatchedObject(kubernetes, `/apis/infinispan.org/v1/namespaces/${namespace}/infinispans`, cluster.name, () => this.adjust());
    }
    if (cluster.perPod) {
      this.servers = new ServiceEndpoints(kubernetes, namespace, cluster.perPod, () => this.adjust());
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
      this.servers?.run(signal, failed('the EndpointSlices')),
    ]);
    void this.options.indexed.then(() => {
      this.indexed = true;
      this.adjust();
    });
  }

  /** Ends in good order: what is being written is written. */
  public async stop() {
    this.stopped.abort();
    this.stopCollecting();
    this.adjust();
    this.endSession();
    await Promise.all([this.running, this.adjusting]);
    await this.queue.drain();
  }

  /** A resource has changed. Without a session nothing is looked at; each one begins with all. */
  public resourceChanged(key: string) {
    if (this.session) this.queue.add(key);
  }

  /** Listens to what is to be listened to now. */
  private adjust() {
    if (!this.indexed && !this.stopped.signal.aborted) return;
    this.adjusting = this.adjusting.then(async () => {
      const hindrance = this.stopped.signal.aborted ? 'stopped' : this.hindrance();
      if (hindrance !== undefined) this.setProblem(hindrance);
      await this.streams.to(hindrance === undefined ? this.addresses() : []);
      // The last one that was missing may be gone.
      this.tellIfInStep();
    });
  }

  /** That of the cluster or, where each server is listened to, theirs, at the same port. */
  private addresses(): string[] {
    const { url } = this.options.cluster;
    if (!this.servers) return [url];
    return this.servers.addresses.map((address) => {
      const own = new URL(url);
      own.hostname = address.includes(':') ? `[${address}]` : address;
      return own.origin;
    });
  }

  private stream(url: string): EventStream {
    return new EventStream(() => this.client(url), {
      event: (event) => this.happened(event),
      cut: (after) => {
        this.count('long_events_total', 'Events of which only the beginning was kept.');
        this.log.info('an event is long: its cache is read instead', { after });
      },
      opened: async (signal) => this.lookAtEverything(signal),
      ended: (error) => this.streamEnded(url, error),
    });
  }

  private happened(event: ServerEvent) {
    const { of, name } = event;
    if (of === 'cache') this.told?.tell(event);
    this.count('events_total', 'Events of the server.', { of });
    if (of === 'cache' && !isInternal(name)) this.queue.add(keyOf('cache', name));
    // A change of a template is told as that of a cache.
    const key = keyOf(of === 'cache' ? 'template' : of, name);
    if (this.options.definitions.of(this.name, key).length > 0) this.queue.add(key);
    this.tryRefused(of, name);
  }

  /** What the server has refused for want of another thing, now that this is there. */
  private tryRefused(kind: string, name: string) {
    const { caches, definitions } = this.session ?? {};
    if (!caches || !definitions) return;
    const usesTemplate = (cache: string) => this.options.index.of(this.name, cache).some(({ templateName }) => templateName === name);
    const waiting: Record<string, () => string[]> = {
      template: () => caches.refused().filter(usesTemplate).map((cache) => keyOf('cache', cache)),
      schema: () => [...caches.refused().map((cache) => keyOf('cache', cache)), ...definitions.refused('schema')],
    };
    for (const key of waiting[kind]?.() ?? []) this.queue.add(key);
  }

  private streamEnded(url: string, error: unknown) {
    this.count('reconnects_total', 'Ends of streams, for whatever reason.');
    if (this.streams.open === 0) this.endSession();
    if (this.stopped.signal.aborted || this.hindrance() !== undefined) return;
    if (error === undefined) this.log.info('the stream ended', { url });
    else this.log.warn('cannot follow the server', { url, error: messageOf(error) });
    this.setProblem(error === undefined ? 'the stream ended' : messageOf(error));
  }

  /** Of what is still to be looked at nothing is kept: the next session begins with all. */
  private endSession() {
    const { session } = this;
    this.session = undefined;
    this.told = new Told();
    this.queue.hold();
    this.queue.clear();
    void this.queue.drain().then(() => session?.server.close());
  }

  /** By a client of its own, for what it trusts may have changed. */
  private async lookAtEverything(signal: AbortSignal) {
    const { index, definitions } = this.options;
    const server = this.client(this.options.cluster.url);
    try {
      const there = await server.cacheNames(signal);
      this.told?.keep(new Set(there));
      const caches = new Set([...there, ...index.keysOf(this.name)]);
      const before = this.session;
      this.session = this.sessionWith(server);
      // Caches may need what is defined, so that comes first.
      for (const key of definitions.keysOf(this.name)) this.queue.add(key);
      for (const name of caches) this.queue.add(keyOf('cache', name));
      this.looks++;
      this.queue.release();
      void this.queue.drain().then(() => {
        this.looks--;
        if (this.session && this.looks === 0) this.told = undefined;
        before?.server.close();
        this.tellIfInStep();
      });
    } catch (error) {
      server.close();
      throw error;
    }
  }

  private tellIfInStep() {
    if (this.problem === undefined || !this.session || this.looks > 0 || !this.streams.complete) return;
    this.log.info('in step', { caches: this.options.index.keysOf(this.name).length });
    this.problem = undefined;
  }

  private async reconcile(key: string) {
    const [kind, name] = partsOf(key);
    const { caches, definitions } = this.session!;
    await (kind === 'cache' ? caches.reconcile(name) : definitions.reconcile(kind, name));
  }

  /** Of the cluster or of one of its servers, whose certificate bears the cluster's name. */
  private client(url: string): InfinispanClient {
    const { url: own, caFile, serverName = url === own ? undefined : new URL(own).hostname } = this.options.cluster;
    return new InfinispanClient({
      url,
      tls: { ...(caFile && { ca: readFileSync(caFile, 'utf8') }), ...(serverName && { servername: serverName }) },
      credentials: () => this.credentials(),
    });
  }

  private sessionWith(server: InfinispanClient): Session {
    const { cluster: { name, operator, direction, removal }, instance, kubernetes, namespace, index, events, definitions } = this.options;
    return {
      server,
      caches: new CacheReconciler({
        cluster: name,
        server,
        index,
        mirrors: new Mirrors({ kubernetes, index, namespace, instance, operator }),
        users: new UserResources({ kubernetes, server, index, events, namespace, direction, removal }),
        told: (cache) => this.told?.hash(cache),
      }),
      definitions: new DefinitionReconciler({
        cluster: name, server, kubernetes, index: definitions, events, namespace, removal, gave: (kind, object) => this.tryRefused(kind, object),
      }),
    };
  }

  /** Why nothing may be done. */
  private hindrance(): string | undefined {
    const { cluster } = this.options;
    if (cluster.paused) return 'paused by the configuration';
    if (this.secret && !this.credentials()) {
      const missing = `Secret ${cluster.secret} with keys ${cluster.usernameKey} and ${cluster.passwordKey} is missing`;
      return this.secret.seen ? missing : 'the Secret is not read yet';
    }
    return this.operatorsHindrance() ?? this.serversHindrance();
  }

  private operatorsHindrance(): string | undefined {
    if (!this.infinispan) return undefined;
    const { name } = this;
    if (!this.infinispan.seen) return 'the Infinispan resource is not read yet';
    if (!this.infinispan.value) return `Infinispan ${name} is missing`;
    return this.infinispan.value.spec?.configListener?.enabled === false ? undefined
      : `the operator's own listener is on: set spec.configListener.enabled of Infinispan ${name} to false`;
  }

  private serversHindrance(): string | undefined {
    if (!this.servers) return undefined;
    if (!this.servers.seen) return 'the EndpointSlices are not read yet';
    return this.servers.addresses.length > 0 ? undefined : `no pod of Service ${this.options.cluster.perPod} answers`;
  }

  private credentials(): Credentials | undefined {
    const { usernameKey, passwordKey } = this.options.cluster;
    const { [usernameKey]: username, [passwordKey]: password } = this.secret?.value?.data ?? {};
    if (username === undefined || password === undefined) return undefined;
    const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
    return { username: text(username), password: text(password) };
  }

  /** New streams are opened with what the Secret says now. */
  private credentialsChanged() {
    const now = JSON.stringify(this.credentials());
    const changed = now !== this.lastCredentials;
    this.lastCredentials = now;
    if (changed) this.adjusting = this.adjusting.then(async () => this.streams.to([]));
    this.adjust();
  }

  private setProblem(problem: string) {
    if (problem !== this.problem) this.log.warn('not in step', { reason: problem });
    this.problem = problem;
  }

  private keyFailed(key: string, error: unknown, retryMs: number) {
    const [kind, name] = partsOf(key);
    this.count('failures_total', 'Looks at a cache or definition that failed, and are tried again.');
    this.log.warn(`a ${kind} is not in step yet`, { [kind]: name, error: messageOf(error), retryMs: Math.round(retryMs) });
    // Who is not let in has nothing to do here any more: it begins anew, slowly.
    if (error instanceof ServerError && error.unauthorized) this.streams.end(error);
  }

  private count(name: string, help: string, labels: Record<string, string> = {}, by = 1) {
    this.options.metrics.count(name, help, { cluster: this.name, ...labels }, by);
  }

  private stateNumbers() {
    const { metrics, index } = this.options;
    const cluster = this.name;
    metrics.gauge('ready', 'Whether everything was looked at since the streams were opened.', { cluster }, this.problem === undefined ? 1 : 0);
    metrics.gauge('streams', 'Streams that there are to be.', { cluster }, this.streams.size);
    metrics.gauge('streams_open', 'Streams that are open.', { cluster }, this.streams.open);
    metrics.gauge('queue_length', 'Caches and definitions that are to be looked at.', { cluster }, this.queue.depth);
    metrics.gauge('caches', 'Caches that resources stand for.', { cluster }, index.keysOf(cluster).length);
    for (const [state, count] of this.session?.caches.countStates() ?? []) {
      metrics.gauge('user_caches', 'Caches with a resource of a user, by what is to be said of them.', { cluster, state }, count);
    }
    for (const { kind, state, count } of this.session?.definitions.countStates() ?? []) {
      metrics.gauge('definitions', 'Definitions by kind, and by what is to be said of them.', { cluster, kind, state }, count);
    }
  }
}
