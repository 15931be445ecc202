import { Duration } from 'cdk8s';
import { CacheStore } from './cache-store';
import { CacheConfigurationFormat } from './format';

/** What happens to a change of an entry before the client is answered. */
export enum CacheReplication {
  /** The other owners have it. */
  SYNC = 'SYNC',

  /** Nothing: the other owners get it later. */
  ASYNC = 'ASYNC',
}

/** Where a cache keeps its entries in memory. */
export enum CacheMemoryStorage {
  /** In the Java heap. */
  HEAP = 'HEAP',

  /** Outside of the Java heap. */
  OFF_HEAP = 'OFF_HEAP',
}

/** What happens when a bounded cache is full. */
export enum CacheWhenFull {
  /** Entries that were not used lately are removed from memory. */
  REMOVE = 'REMOVE',

  /** New entries are refused. Only with transactions of mode NON_DURABLE_XA or FULL_XA. */
  EXCEPTION = 'EXCEPTION',

  /** Clients evict by themselves. */
  MANUAL = 'MANUAL',
}

/** Which transactions a cache takes part in. */
export enum CacheTransactionMode {
  /** None. */
  NONE = 'NONE',

  /** Batches of one client. */
  BATCH = 'BATCH',

  /** As a synchronization. */
  NON_XA = 'NON_XA',

  /** As an XA resource without recovery. */
  NON_DURABLE_XA = 'NON_DURABLE_XA',

  /** As an XA resource with recovery. */
  FULL_XA = 'FULL_XA',
}

/** When transactions lock entries. */
export enum CacheTransactionLocking {
  /** When they are committed. */
  OPTIMISTIC = 'OPTIMISTIC',

  /** When they are written. */
  PESSIMISTIC = 'PESSIMISTIC',
}

/** What transactions see of each other. */
export enum CacheIsolation {
  /** What was committed. */
  READ_COMMITTED = 'READ_COMMITTED',

  /** What they have seen before. */
  REPEATABLE_READ = 'REPEATABLE_READ',
}

/** Where an index is kept. */
export enum CacheIndexStorage {
  /** In files on the volume. */
  FILESYSTEM = 'filesystem',

  /** In the Java heap. */
  LOCAL_HEAP = 'local-heap',
}

/** How a change reaches another site. */
export enum CacheBackupStrategy {
  /** Before the client is answered. */
  SYNC = 'SYNC',

  /** Later. */
  ASYNC = 'ASYNC',
}

/** What happens when another site does not take a change. */
export enum CacheBackupFailurePolicy {
  /** Nothing. */
  IGNORE = 'IGNORE',

  /** A warning in the log. */
  WARN = 'WARN',

  /** The change fails, too. Only with strategy SYNC. */
  FAIL = 'FAIL',
}

/** What the parts of a cluster do while they do not reach each other. */
export enum CacheWhenSplit {
  /** Entries without all of their owners are neither read nor written. */
  DENY_READ_WRITES = 'DENY_READ_WRITES',

  /** Entries without all of their owners are only read. */
  ALLOW_READS = 'ALLOW_READS',

  /** Everything is read and written: parts differ afterwards. */
  ALLOW_READ_WRITES = 'ALLOW_READ_WRITES',
}

/** Which of two values counts when the parts of a cluster meet again. */
export enum CacheMergePolicy {
  /** None is sought. */
  NONE = 'NONE',

  /** That of the part with more members. */
  PREFERRED_ALWAYS = 'PREFERRED_ALWAYS',

  /** That of the part with more members, unless it has none. */
  PREFERRED_NON_NULL = 'PREFERRED_NON_NULL',

  /** None: entries that differ are removed. */
  REMOVE_ALL = 'REMOVE_ALL',
}

/** A site that gets the changes of a cache. */
export interface CacheBackupSite {
  /** Name of the site. */
  readonly site: string;

  /**
   * How a change reaches it.
   *
   * @default CacheBackupStrategy.ASYNC
   */
  readonly strategy?: CacheBackupStrategy;

  /**
   * What happens when it does not take a change.
   *
   * @default - the server's: WARN
   */
  readonly failurePolicy?: CacheBackupFailurePolicy;

  /**
   * How long it may take.
   *
   * @default - the server's: 15 seconds
   */
  readonly timeout?: Duration;
}

/** What every kind of cache may have. */
export interface LocalCacheOptions {
  /**
   * Format in which it is written.
   *
   * @default CacheConfigurationFormat.YAML
   */
  readonly format?: CacheConfigurationFormat;

  /**
   * Count hits, misses and the like.
   *
   * @default true
   */
  readonly statistics?: boolean;

  /**
   * Media type of keys and values, such as `application/x-protostream`. Not beside `keyEncoding` and `valueEncoding`.
   *
   * @default - `application/x-protostream` with indexing, else what clients send
   */
  readonly encoding?: string;

  /**
   * Media type of keys.
   *
   * @default - that of `encoding`
   */
  readonly keyEncoding?: string;

  /**
   * Media type of values.
   *
   * @default - that of `encoding`
   */
  readonly valueEncoding?: string;

  /**
   * Entries in memory at most, on each server. Not beside `maxSize`.
   *
   * @default - not bounded
   */
  readonly maxCount?: number;

  /**
   * Bytes in memory at most, on each server, as a Kubernetes quantity such as `200Mi`. Needs an encoding, or memory outside of the
   * heap. Not beside `maxCount`.
   *
   * @default - not bounded
   */
  readonly maxSize?: string;

  /**
   * What happens when it is full. Needs `maxCount` or `maxSize`.
   *
   * @default - REMOVE when there is a bound
   */
  readonly whenFull?: CacheWhenFull;

  /**
   * Where entries are in memory.
   *
   * @default CacheMemoryStorage.HEAP
   */
  readonly memoryStorage?: CacheMemoryStorage;

  /**
   * How long entries live.
   *
   * @default - forever
   */
  readonly lifespan?: Duration;

  /**
   * How long entries live without being used. With stores only if there is passivation.
   *
   * @default - forever
   */
  readonly maxIdle?: Duration;

  /**
   * Where entries are kept besides memory.
   *
   * @default - nowhere
   */
  readonly stores?: CacheStore[];

  /**
   * Write to stores what is removed from memory, and nothing else. Needs a bound and stores of each server's own.
   *
   * @default false
   */
  readonly passivation?: boolean;

  /**
   * Transactions.
   *
   * @default CacheTransactionMode.NONE
   */
  readonly transactions?: CacheTransactionMode;

  /**
   * When transactions lock entries. Needs `transactions`.
   *
   * @default - the server's: OPTIMISTIC
   */
  readonly transactionLocking?: CacheTransactionLocking;

  /**
   * What transactions see of each other.
   *
   * @default - the server's: REPEATABLE_READ
   */
  readonly isolation?: CacheIsolation;

  /**
   * How long to wait for the lock of an entry.
   *
   * @default - the server's: 10 seconds
   */
  readonly lockTimeout?: Duration;

  /**
   * Protobuf messages that are indexed, by their full names.
   *
   * @default - no index
   */
  readonly indexedEntities?: string[];

  /**
   * Where the index is kept. Needs `indexedEntities`.
   *
   * @default CacheIndexStorage.FILESYSTEM
   */
  readonly indexStorage?: CacheIndexStorage;

  /**
   * Roles that may use the cache, as far as they are permitted to.
   *
   * @default - all roles of the cluster
   */
  readonly roles?: string[];
}

/** What caches of several servers may have. */
export interface ClusteredCacheOptions extends LocalCacheOptions {
  /**
   * What happens to a change before the client is answered.
   *
   * @default CacheReplication.SYNC
   */
  readonly replication?: CacheReplication;

  /**
   * How long another server may take to answer.
   *
   * @default - the server's: 15 seconds
   */
  readonly remoteTimeout?: Duration;
}

/** Options of `CacheConfiguration.replicated`. */
export interface ReplicatedCacheOptions extends ClusteredCacheOptions {
  /**
   * Parts into which keys are divided.
   *
   * @default - the server's: 256
   */
  readonly segments?: number;

  /**
   * How long a server that starts may take to get its entries.
   *
   * @default - the server's: 4 minutes
   */
  readonly stateTransferTimeout?: Duration;

  /**
   * What parts of the cluster do while they do not reach each other.
   *
   * @default - the server's: ALLOW_READ_WRITES
   */
  readonly whenSplit?: CacheWhenSplit;

  /**
   * Which value counts when they meet again.
   *
   * @default - the server's: NONE
   */
  readonly mergePolicy?: CacheMergePolicy;

  /**
   * Sites that get its changes.
   *
   * @default - none
   */
  readonly backups?: CacheBackupSite[];
}

/** Options of `CacheConfiguration.distributed`. */
export interface DistributedCacheOptions extends ReplicatedCacheOptions {
  /**
   * Servers that have an entry. With one, every server that stops takes its entries along.
   *
   * @default 2
   */
  readonly owners?: number;

  /**
   * Share of entries of a server, compared to others.
   *
   * @default 1
   */
  readonly capacityFactor?: number;

  /**
   * How long a server keeps entries that it fetched from others.
   *
   * @default - it does not
   */
  readonly nearLifespan?: Duration;
}
