import { CacheIndex } from './cache-index';
import { CacheRecord, hashOf, omittedHash } from './cache-record';
import { LISTENER_DELETE, LISTENER_GENERATION, MANAGED_BY, MARK, OMITTED } from './marks';
import { InfinispanClient, TOO_LONG } from '../infinispan/infinispan-client';
import { ApiError, KubernetesClient, ReadVersion } from '../kubernetes/kubernetes-client';
import { CACHE_API, CacheResource, cachesPath } from '../kubernetes/objects';
import { mirrorName, mirrorNames } from '../names';

/** What the server has: what `InfinispanClient.cache` returns for a cache that is there. */
export type Found = NonNullable<Awaited<ReturnType<InfinispanClient['cache']>>>;

/** In bytes. Kubernetes stores 1.5 MiB at most, and writes some of it twice. */
const LONGEST_TEMPLATE = 900_000;
/** A resource of that name is there. */
const CONFLICT = 409;

export interface MirrorsOptions {
  readonly kubernetes: KubernetesClient;
  readonly index: CacheIndex;
  readonly namespace: string;
  readonly instance: string;
  /** Whether an operator acts on the resources. */
  readonly operator: boolean;
}

/** Writes the resources that the program makes: for each cache that no user's resource stands for, one. */
export class Mirrors {
  private readonly path: string;

  public constructor(private readonly options: MirrorsOptions) {
    this.path = cachesPath(options.namespace);
  }

  /** Has exactly one say what the server has. */
  public async show(cluster: string, cache: string, found: Found, mirrors: CacheRecord[]): Promise<void> {
    const { kubernetes, index, instance, namespace } = this.options;
    const names = mirrorNames(cluster, cache);
    const mirror = names.map((name) => mirrors.find((one) => one.name === name)).find(Boolean);
    // Of another name are those whose `spec.name` somebody changed.
    for (const other of mirrors.filter((one) => one !== mirror)) await this.remove(other);
    // One that is going comes back when it is gone.
    if (mirror?.deleting) return;
    const { template, omitted, hash } = contentOf(found);
    const changed = mirror?.hash !== hash;
    if (mirror && !changed && this.finished(mirror)) return;
    const annotations = {
      [MARK]: instance,
      // Every change of the spec is a new generation.
      [LISTENER_GENERATION]: String(mirror ? mirror.generation + (changed ? 1 : 0) : 1),
      [OMITTED]: omitted,
    };
    index.learn(mirror
      ? await kubernetes.patch<CacheResource>(this.path, mirror, { metadata: { annotations }, ...(changed && { spec: { template } }) })
      : await this.create(names, {
        apiVersion: CACHE_API,
        kind: 'Cache',
        metadata: {
          namespace,
          labels: { 'app.kubernetes.io/name': 'infinispan', 'app.kubernetes.io/instance': cluster, ...MANAGED_BY },
          annotations: { ...annotations, [OMITTED]: omitted ?? undefined },
        },
        spec: { clusterName: cluster, name: cache, ...(template !== null && { template }), updates: { strategy: 'retain' } },
      }));
  }

  /** Makes one, of the first name that no resource of somebody else has. */
  private async create([name, ...names]: string[], { metadata, ...rest }: Record<string, any>): Promise<CacheResource> {
    const { kubernetes, index, instance } = this.options;
    try {
      return await kubernetes.create<CacheResource>(this.path, { ...rest, metadata: { ...metadata, name } });
    } catch (error) {
      const there = error instanceof ApiError && error.status === CONFLICT ? index.find((one) => one.name === name) : undefined;
      // An own one is about to be known, or to go.
      if (!there || there.madeBy === instance || names.length === 0) throw error;
      return this.create(names, { metadata, ...rest });
    }
  }

  /** Whether there is exactly one already, and it says what has this hash. */
  public shown(cluster: string, cache: string, hash: string, records: readonly CacheRecord[]): boolean {
    const [mirror, ...others] = records;
    if (others.length > 0 || mirror?.hash !== hash) return false;
    if (mirror.name !== mirrorName(cluster, cache) && !mirrorNames(cluster, cache).includes(mirror.name)) return false;
    return this.finished(mirror) && !mirror.deleting && !mirror.paused;
  }

  /** Whether it carries all that the program writes besides what the server has. */
  private finished({ madeBy, listenerGeneration, generation }: CacheRecord): boolean {
    return madeBy === this.options.instance && listenerGeneration >= generation;
  }

  /** Removes one; the cache stays, whatever an operator would do otherwise. */
  public async remove(mirror: CacheRecord): Promise<void> {
    const { kubernetes, index, operator } = this.options;
    const marks = !mirror.listenerDelete && (operator || mirror.operated);
    let last: ReadVersion = mirror;
    if (marks) {
      const marked = await kubernetes.patch<CacheResource>(this.path, mirror, { metadata: { annotations: { [LISTENER_DELETE]: 'true' } } });
      index.learn(marked);
      // Not what the index knows by now: the watch may have been quicker than the answer, and this one is that of the mark.
      last = marked.metadata;
    }
    if (!mirror.deleting) await kubernetes.remove(this.path, last);
  }
}

function contentOf(found: Found): { template: string | null; omitted: string | null; hash: string } {
  const length = found === TOO_LONG ? 'too long' : Buffer.byteLength(found);
  if (found !== TOO_LONG && length as number <= LONGEST_TEMPLATE) return { template: found, omitted: null, hash: hashOf(found) };
  const omitted = String(length);
  return { template: null, omitted, hash: omittedHash(omitted) };
}
