import { KubernetesObject } from './objects';

/** What is kept in memory of an object. */
export interface IndexedRecord {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Name of the cluster that it is for. */
  readonly cluster: string;
}

export interface RecordIndexOptions<O extends KubernetesObject, R extends IndexedRecord> {
  readonly read: (object: O) => R;
  /** What it stands for within its cluster. */
  readonly keyOf: (record: R) => string;
  /** Is told whose key is to be looked at. */
  readonly changed: (cluster: string, key: string) => void;
}

/** So many objects that are gone are remembered: the answer to a write may come later than the news that the object is gone. */
const REMEMBERED = 1000;

/** All objects of one kind in the namespace, by what they stand for. */
export class RecordIndex<O extends KubernetesObject, R extends IndexedRecord> {
  private readonly none: readonly R[] = [];
  private readonly byUid = new Map<string, R>();
  private readonly gone = new Set<string>();
  private readonly byCluster = new Map<string, Map<string, readonly R[]>>();

  public constructor(private readonly options: RecordIndexOptions<O, R>) {}

  public get size(): number {
    return this.byUid.size;
  }

  public of(cluster: string, key: string): readonly R[] {
    return this.byCluster.get(cluster)?.get(key) ?? this.none;
  }

  /** Looks through all of them. */
  public find(matches: (record: R) => boolean): R | undefined {
    return [...this.byUid.values()].find(matches);
  }

  public keysOf(cluster: string): string[] {
    return [...this.byCluster.get(cluster)?.keys() ?? []];
  }

  public clusters(): string[] {
    return [...this.byCluster.keys()];
  }

  /** Takes what the API server tells. */
  public put(object: O) {
    const { keyOf, changed } = this.options;
    const known = this.byUid.get(object.metadata.uid);
    const record = this.set(object);
    if (!record) return;
    if (known && (known.cluster !== record.cluster || keyOf(known) !== keyOf(record))) changed(known.cluster, keyOf(known));
    changed(record.cluster, keyOf(record));
  }

  /**
   * Takes the answer to an own write, which changes nothing for anybody. Undefined when what was read is no newer than what is
   * known, as the echo of such a write is, or when the object is gone meanwhile.
   */
  public learn(object: O): R | undefined {
    return this.gone.has(object.metadata.uid) ? undefined : this.set(object);
  }

  public remove(uid: string) {
    const known = this.byUid.get(uid);
    if (!known) return;
    this.byUid.delete(uid);
    this.gone.add(uid);
    if (this.gone.size > REMEMBERED) this.gone.delete(this.gone.values().next().value!);
    this.take(known);
    this.options.changed(known.cluster, this.options.keyOf(known));
  }

  /** Removes all that is not of these. */
  public keep(uids: Set<string>) {
    for (const uid of [...this.byUid.keys()]) {
      if (!uids.has(uid)) this.remove(uid);
    }
  }

  private set(object: O): R | undefined {
    const known = this.byUid.get(object.metadata.uid);
    if (known && BigInt(object.metadata.resourceVersion) <= BigInt(known.resourceVersion)) return undefined;
    const record = this.options.read(object);
    const key = this.options.keyOf(record);
    if (known) this.take(known);
    this.byUid.set(record.uid, record);
    const keys = this.byCluster.get(record.cluster) ?? new Map<string, readonly R[]>();
    this.byCluster.set(record.cluster, keys);
    keys.set(key, [...keys.get(key) ?? this.none, record]);
    return record;
  }

  private take(record: R) {
    const key = this.options.keyOf(record);
    const keys = this.byCluster.get(record.cluster)!;
    const rest = keys.get(key)!.filter(({ uid }) => uid !== record.uid);
    if (rest.length > 0) keys.set(key, rest);
    else keys.delete(key);
    if (keys.size === 0) this.byCluster.delete(record.cluster);
  }
}
