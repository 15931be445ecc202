import { CacheIndex } from './cache-index';
import { CacheRecord, cacheRecord, CacheState, hashOf } from './cache-record';
import { FINALIZER } from './marks';
import { Found } from './mirrors';
import { ConfigDirection, ConfigRemoval } from '../../../lib/cache-cluster/reconciler/config-policies';
import { InfinispanClient, isInternal, ServerError, TOO_LONG } from '../infinispan/infinispan-client';
import { EventRecorder } from '../kubernetes/event-recorder';
import { FIELD_MANAGER, KubernetesClient } from '../kubernetes/kubernetes-client';
import { CACHE_API, CacheResource, cachesPath, Condition } from '../kubernetes/objects';

export interface UserResourcesOptions {
  readonly kubernetes: KubernetesClient;
  readonly server: InfinispanClient;
  readonly index: CacheIndex;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly direction: ConfigDirection;
  readonly removal: ConfigRemoval;
}

/** Of fields of the status, and of the finalizer: each is stated apart, since what a manager states no more is removed. */
const STATUS_MANAGER = `${FIELD_MANAGER}-status`;
const FINALIZER_MANAGER = `${FIELD_MANAGER}-finalizer`;

/** Condition whose message names the generation that the server was given. All that the program remembers. */
export const APPLIED = 'Applied';
/** Condition for people. */
export const READY = 'Ready';

interface Verdict {
  readonly state: CacheState;
  /** What is wrong, for people. */
  readonly reason?: string;
  readonly message?: string;
  /** The generation that the server was given. */
  readonly applied?: number;
}

/**
 * Resources of users: applied to the server where no operator does it, and never written but for conditions and the finalizer.
 * What is wrong is reported.
 */
export class UserResources {
  private readonly path: string;
  /** Texts that the server has called the same, by the cache. */
  private readonly agreed = new Map<string, string>();

  public constructor(private readonly options: UserResourcesOptions) {
    this.path = cachesPath(options.namespace);
  }

  /** Brings server and resource in step, as far as that is allowed. */
  public async follow(record: CacheRecord, found: Found | undefined): Promise<CacheState> {
    if (record.paused) return 'paused';
    if (record.unmanaged) return 'unmanaged';
    const current = await this.settleFinalizer(record);
    const both = this.options.direction === ConfigDirection.BOTH;
    return this.report(current, both ? await this.apply(current, found) : await this.judge(current, found));
  }

  /** A second resource for a cache: it is only told so. */
  public async refuseRival(record: CacheRecord, user: CacheRecord): Promise<void> {
    if (record.paused || record.unmanaged) return;
    const message = `Cache ${user.name} is older and stands for the same cache`;
    await this.report(record, { state: 'conflict', reason: 'Conflict', message, applied: appliedGeneration(record) });
  }

  /** One that is being removed: with the finalizer, and where no other stands for the cache, the cache is removed, too. */
  public async letGo(record: CacheRecord, found: Found | undefined, claimed: boolean): Promise<void> {
    this.options.events.forget(record.uid);
    if (!record.finalizer) return;
    const wanted = this.removes && !record.paused && !record.unmanaged && !claimed && !isInternal(record.cache);
    if (wanted && found !== undefined) await this.options.server.removeCache(record.cache);
    await this.stateFinalizer(record, false);
  }

  /** No resource of a user stands for the cache any more. */
  public forget(cache: string) {
    this.agreed.delete(cache);
  }

  /** Whether a user's removal of a resource removes the cache. */
  private get removes(): boolean {
    return this.options.direction === ConfigDirection.BOTH && this.options.removal === ConfigRemoval.REMOVE;
  }

  /** With an operator: what is seen is told, and nothing more. */
  private async judge(record: CacheRecord, found: Found | undefined): Promise<Verdict> {
    if (found === undefined) return { state: 'missing', reason: 'CacheMissing', message: 'the server has no such cache' };
    return await this.agrees(record, found) ? { state: 'in-step' } : DRIFTED;
  }

  private async apply(record: CacheRecord, found: Found | undefined): Promise<Verdict> {
    const applied = appliedGeneration(record);
    const { generation } = record;
    const wrong = invalid(record);
    if (wrong) return { state: 'refused', reason: 'Invalid', message: wrong, applied };
    if (applied === generation) {
      if (found === undefined) return { state: 'missing', reason: 'CacheRemoved', message: 'the cache was removed at the server; it is made again when the resource changes', applied };
      return await this.agrees(record, found) ? { state: 'in-step', applied } : { ...DRIFTED, applied };
    }
    try {
      await this.give(record, found);
      return { state: 'in-step', applied: generation };
    } catch (error) {
      if (!(error instanceof ServerError && error.final)) throw error;
      return { state: 'refused', reason: 'Refused', message: error.message, applied };
    }
  }

  /** Makes or changes the cache. */
  private async give(record: CacheRecord, found: Found | undefined): Promise<void> {
    const { server } = this.options;
    const { cache, recreate } = record;
    if (found === undefined) {
      await this.create(record);
    } else if (!await this.agrees(record, found)) {
      try {
        await server.updateCache(cache, record.template!);
      } catch (error) {
        if (!(error instanceof ServerError && error.final && recreate)) throw error;
        // One that the server cannot read must not cost the cache that is there.
        if (await this.compare(record.template!, record.template!) === undefined) throw error;
        await server.removeCache(cache);
        await this.create(record);
      }
    }
  }

  private async create({ cache, template, templateName }: CacheRecord) {
    const { server } = this.options;
    await (templateName === undefined ? server.createCache(cache, template!) : server.createCacheFrom(cache, templateName));
  }

  /** Whether the server's cache is as the resource says. A template's name says only that there is one. */
  private async agrees(record: CacheRecord, found: Found): Promise<boolean> {
    const { template, cache } = record;
    if (template === undefined || record.templateName !== undefined || found === TOO_LONG) return true;
    const pair = hashOf(`${record.hash} ${hashOf(found)}`);
    if (this.agreed.get(cache) === pair) return true;
    const same = await this.compare(template, found) ?? false;
    if (same) this.agreed.set(cache, pair);
    return same;
  }

  /** Whether the server calls them the same; undefined when it cannot read one of them. */
  private async compare(first: string, second: string): Promise<boolean | undefined> {
    try {
      return await this.options.server.same(first, second);
    } catch (error) {
      // It stumbles over what it cannot read.
      if (!(error instanceof ServerError && (error.final || error.status === 500))) throw error;
      return undefined;
    }
  }

  private async report(record: CacheRecord, { state, reason, message, applied }: Verdict): Promise<CacheState> {
    const { events, direction } = this.options;
    if (reason) await events.warn({ kind: 'Cache', name: record.name, uid: record.uid }, reason, message!);
    else events.forget(record.uid);
    if (direction === ConfigDirection.BOTH) {
      await this.stateConditions(record, [
        { type: READY, status: reason ? 'False' : 'True', message: reason ? `${reason}: ${message}` : 'the server has the cache as it is said here' },
        ...(applied === undefined ? [] : [{ type: APPLIED, status: 'True' as const, message: `generation ${applied}` }]),
      ]);
    }
    return state;
  }

  private async stateConditions(record: CacheRecord, conditions: Condition[]) {
    if (JSON.stringify(record.conditions?.map(plain)) === JSON.stringify(conditions.map(plain))) return;
    const { kubernetes, index } = this.options;
    index.learn(await kubernetes.apply<CacheResource>(this.path, record, STATUS_MANAGER, { ...KIND, status: { conditions } }, '/status'));
  }

  private async settleFinalizer(record: CacheRecord): Promise<CacheRecord> {
    return record.finalizer === this.removes ? record : this.stateFinalizer(record, this.removes);
  }

  private async stateFinalizer(record: CacheRecord, wanted: boolean): Promise<CacheRecord> {
    const { kubernetes, index } = this.options;
    const stated = { ...KIND, metadata: wanted ? { finalizers: [FINALIZER] } : {} };
    const answer = await kubernetes.apply<CacheResource>(this.path, record, FINALIZER_MANAGER, stated);
    index.learn(answer);
    // What is written next is written to this version, which the watch may have told already.
    return cacheRecord(answer);
  }
}

const KIND = { apiVersion: CACHE_API, kind: 'Cache' };
const DRIFTED: Verdict = { state: 'drifted', reason: 'Drifted', message: 'the server has the cache with another configuration' };

/** Generation that the server was given, as the resource's own condition tells. */
export function appliedGeneration({ conditions = [] }: CacheRecord): number | undefined {
  const message = conditions.find(({ type }) => type === APPLIED)?.message;
  const found = /^generation (\d+)$/.exec(message ?? '');
  return found ? Number(found[1]) : undefined;
}

function invalid({ cache, template, templateName }: CacheRecord): string | undefined {
  if (isInternal(cache)) return `${cache} is a name that the server keeps for itself`;
  if ((template === undefined || template === '') === (templateName === undefined)) return 'exactly one of template and templateName is needed';
  return undefined;
}

/** In one order of fields. */
function plain({ type, status, message }: Condition) {
  return [type, status, message];
}
