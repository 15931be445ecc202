import { Element } from './element';

/** Options that every store has. */
export interface CacheStoreOptions {
  /**
   * Load all entries when the cache starts. Not with `purge`.
   *
   * @default false
   */
  readonly preload?: boolean;

  /**
   * Remove all entries when the cache starts.
   *
   * @default false
   */
  readonly purge?: boolean;

  /**
   * Only load, never write. Not with `purge`, nor with passivation.
   *
   * @default false
   */
  readonly readOnly?: boolean;

  /**
   * Write after the client was answered, with at most so many changes waiting. A crash loses those.
   *
   * @default - written before the client is answered
   */
  readonly writeBehindQueue?: number;
}

/** Options of `CacheStore.jdbc`. */
export interface JdbcCacheStoreOptions extends CacheStoreOptions {
  /** JNDI name of a data source of the server, such as `jdbc/postgres`. */
  readonly dataSource: string;

  /**
   * Dialect of the database, such as `POSTGRES`.
   *
   * @default - found out by the server
   */
  readonly dialect?: string;

  /**
   * Prefix of the table's name.
   *
   * @default 'ISPN'
   */
  readonly tablePrefix?: string;

  /**
   * Make the table when the cache starts.
   *
   * @default true
   */
  readonly createTable?: boolean;

  /**
   * SQL type of keys.
   *
   * @default 'VARCHAR(255)'
   */
  readonly idType?: string;

  /**
   * SQL type of values.
   *
   * @default 'BYTEA'
   */
  readonly dataType?: string;

  /**
   * SQL type of timestamps.
   *
   * @default 'BIGINT'
   */
  readonly timestampType?: string;

  /**
   * SQL type of segments.
   *
   * @default 'INT'
   */
  readonly segmentType?: string;
}

/** Options of `CacheStore.remote`. */
export interface RemoteCacheStoreOptions extends CacheStoreOptions {
  /** Name of the cache in the other cluster. */
  readonly cache: string;

  /** Host of the other cluster. */
  readonly host: string;

  /**
   * Port of the other cluster.
   *
   * @default 11222
   */
  readonly port?: number;
}

/** Where a cache keeps its entries besides memory. */
export class CacheStore {
  /** Files on the volume of each server. */
  public static file(options: CacheStoreOptions = {}): CacheStore {
    return new CacheStore('CacheStore.file', false, options, { name: 'file-store' });
  }

  /** A table of a database, which all servers share. The driver is one of the cluster's libraries. */
  public static jdbc(options: JdbcCacheStoreOptions): CacheStore {
    if (!options.dataSource) throw new Error('dataSource of CacheStore.jdbc must not be empty');
    return new CacheStore('CacheStore.jdbc', true, options, {
      name: 'string-keyed-jdbc-store',
      attributes: { dialect: options.dialect },
      children: [
        { name: 'data-source', attributes: { 'jndi-url': options.dataSource } },
        {
          name: 'string-keyed-table',
          attributes: { 'prefix': options.tablePrefix ?? 'ISPN', 'create-on-start': options.createTable ?? true },
          children: [
            column('id', 'id', options.idType ?? 'VARCHAR(255)'),
            column('data', 'data', options.dataType ?? 'BYTEA'),
            column('timestamp', 'ts', options.timestampType ?? 'BIGINT'),
            column('segment', 'seg', options.segmentType ?? 'INT'),
          ],
        },
      ],
    });
  }

  /** A cache of another Infinispan cluster. */
  public static remote(options: RemoteCacheStoreOptions): CacheStore {
    if (!options.cache || !options.host) throw new Error('cache and host of CacheStore.remote must not be empty');
    return new CacheStore('CacheStore.remote', true, options, {
      name: 'remote-store',
      attributes: { 'cache': options.cache, 'segmented': false, 'raw-values': true },
      children: [{ name: 'remote-server', attributes: { host: options.host, port: options.port ?? 11222 } }],
    });
  }

  private constructor(
    /** @internal */
    public readonly _what: string,
    /**
     * Whether all servers have the same entries in it.
     *
     * @internal
     */
    public readonly _shared: boolean,
    /** @internal */
    public readonly _options: CacheStoreOptions,
    private readonly kind: Element,
  ) {
    const { preload, purge, readOnly, writeBehindQueue } = _options;
    if (preload && purge) throw new Error(`${_what} with preload and purge: what is removed at the start cannot be loaded; leave one of both out`);
    if (readOnly && purge) throw new Error(`${_what} with readOnly and purge: a store that is only read cannot be purged; leave one of both out`);
    if (readOnly && writeBehindQueue !== undefined) throw new Error(`${_what} with readOnly and writeBehindQueue: nothing is written; leave one of both out`);
    if (writeBehindQueue !== undefined && !(Number.isInteger(writeBehindQueue) && writeBehindQueue >= 1)) {
      throw new Error(`writeBehindQueue of ${_what} must be a whole number of at least 1, given ${writeBehindQueue}`);
    }
  }

  /**
   * The store in a cache that is local, or in a clustered one.
   *
   * @internal
   */
  public _element(clustered: boolean): Element {
    const { preload, purge = false, readOnly, writeBehindQueue } = this._options;
    return {
      ...this.kind,
      attributes: {
        ...this.kind.attributes,
        // One that is only read is the same to each server, and the server does not let it be shared.
        ...(this._shared && clustered && !readOnly && { shared: true }),
        // Stated whatever the server's default is: what a start removes is gone for good.
        purge,
        preload,
        'read-only': readOnly,
      },
      children: [
        ...(writeBehindQueue === undefined ? [] : [{ name: 'write-behind', attributes: { 'modification-queue-size': writeBehindQueue } }]),
        ...(this.kind.children ?? []),
      ],
    };
  }
}

function column(what: string, name: string, type: string): Element {
  return { name: `${what}-column`, attributes: { name, type } };
}
