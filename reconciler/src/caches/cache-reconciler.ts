import { CacheIndex } from './cache-index';
import { CacheState } from './cache-record';
import { Mirrors } from './mirrors';
import { ownersOf } from './ownership';
import { UserResources } from './user-resources';
import { InfinispanClient, isInternal } from '../infinispan/infinispan-client';

export interface CacheReconcilerOptions {
  readonly cluster: string;
  readonly server: InfinispanClient;
  readonly index: CacheIndex;
  readonly mirrors: Mirrors;
  readonly users: UserResources;
  /** Hash of the configuration that the server has just told by itself. */
  readonly told: (cache: string) => string | undefined;
}

/** Brings one cache of one cluster in step, from what is true at this moment; whatever led to it. */
export class CacheReconciler {
  private readonly states = new Map<string, CacheState>();

  public constructor(private readonly options: CacheReconcilerOptions) {}

  public async reconcile(cache: string): Promise<void> {
    const { cluster, server, index, mirrors, users, told } = this.options;
    const hash = told(cache);
    if (hash !== undefined && mirrors.shown(cluster, cache, hash, index.of(cluster, cache))) {
      this.forget(cache);
      return;
    }
    // What the server has is read first: a resource that comes meanwhile is seen, and brings the key again.
    const found = isInternal(cache) ? undefined : await server.cache(cache);
    const owners = ownersOf(index.of(cluster, cache));
    for (const leaving of owners.leaving) await users.letGo(leaving, found, owners.user !== undefined);
    // Somebody wants this cache to be left alone, whoever made the resource.
    if (owners.mirrors.some(({ paused }) => paused)) {
      this.states.set(cache, 'paused');
      return;
    }
    if (owners.user) {
      for (const mirror of owners.mirrors) await mirrors.remove(mirror);
      for (const rival of owners.rivals) await users.refuseRival(rival, owners.user);
      const state = await users.follow(owners.user, found);
      this.states.set(cache, owners.rivals.length > 0 ? 'conflict' : state);
      return;
    }
    this.forget(cache);
    // Two resources for one cache do no harm for a moment, but the user's own counts while it is there.
    if (found !== undefined && owners.leaving.length === 0) await mirrors.show(cluster, cache, found, owners.mirrors);
    else for (const mirror of owners.mirrors) await mirrors.remove(mirror);
  }

  /** No resource of a user stands for it. */
  private forget(cache: string) {
    this.states.delete(cache);
    this.options.users.forget(cache);
  }

  /** Names of caches that the server has refused. */
  public refused(): string[] {
    return [...this.states].filter(([, state]) => state === 'refused').map(([cache]) => cache);
  }

  /** How many caches with a resource of a user, or a paused one, are in each state. */
  public countStates(): Map<CacheState, number> {
    const counts = new Map<CacheState, number>();
    for (const state of this.states.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return counts;
  }
}
