import { CacheRecord, cacheRecord } from './cache-record';
import { CacheResource } from '../kubernetes/objects';

const NONE: readonly CacheRecord[] = [];

/** All `Cache` resources of the namespace, by what they stand for. */
export class CacheIndex {
  private readonly byUid = new Map<string, CacheRecord>();
  private readonly byCluster = new Map<string, Map<string, readonly CacheRecord[]>>();

  /** @param changed Is told whose key is to be looked at. */
  public constructor(private readonly changed: (cluster: string, cache: string) => void) {}

  public get size(): number {
    return this.byUid.size;
  }

  public of(cluster: string, cache: string): readonly CacheRecord[] {
    return this.byCluster.get(cluster)?.get(cache) ?? NONE;
  }

  public cachesOf(cluster: string): string[] {
    return [...this.byCluster.get(cluster)?.keys() ?? []];
  }

  public clusters(): string[] {
    return [...this.byCluster.keys()];
  }

  /** Takes what the API server tells. */
  public put(resource: CacheResource) {
    const known = this.byUid.get(resource.metadata.uid);
    const record = this.learn(resource);
    if (!record) return;
    if (known && (known.cluster !== record.cluster || known.cache !== record.cache)) this.changed(known.cluster, known.cache);
    this.changed(record.cluster, record.cache);
  }

  /**
   * Takes the answer to an own write, which changes nothing for anybody. Undefined when what was read is no newer than what is
   * known, as the echo of such a write is.
   */
  public learn(resource: CacheResource): CacheRecord | undefined {
    const known = this.byUid.get(resource.metadata.uid);
    if (known && BigInt(resource.metadata.resourceVersion) <= BigInt(known.resourceVersion)) return undefined;
    const record = cacheRecord(resource);
    if (known) this.take(known);
    this.byUid.set(record.uid, record);
    const caches = this.byCluster.get(record.cluster) ?? new Map<string, readonly CacheRecord[]>();
    this.byCluster.set(record.cluster, caches);
    caches.set(record.cache, [...caches.get(record.cache) ?? NONE, record]);
    return record;
  }

  public remove(uid: string) {
    const known = this.byUid.get(uid);
    if (!known) return;
    this.byUid.delete(uid);
    this.take(known);
    this.changed(known.cluster, known.cache);
  }

  /** Removes all that is not of these. */
  public keep(uids: Set<string>) {
    for (const uid of [...this.byUid.keys()]) {
      if (!uids.has(uid)) this.remove(uid);
    }
  }

  private take({ uid, cluster, cache }: CacheRecord) {
    const caches = this.byCluster.get(cluster)!;
    const rest = caches.get(cache)!.filter((record) => record.uid !== uid);
    if (rest.length > 0) caches.set(cache, rest);
    else caches.delete(cache);
    if (caches.size === 0) this.byCluster.delete(cluster);
  }
}
