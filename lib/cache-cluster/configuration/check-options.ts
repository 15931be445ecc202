import {
  CacheReplication, CacheTransactionMode, CacheWhenFull, ClusteredCacheOptions, DistributedCacheOptions, LocalCacheOptions,
} from './cache-configuration-options';
import { parseQuantity } from '../../private/quantity';

type Options = LocalCacheOptions & Partial<ClusteredCacheOptions & DistributedCacheOptions>;

/** Media types of bytes, whose length a server can tell. */
const MEDIA_TYPE = /^[-\w.+*]+\/[-\w.+*]+(\s*;.*)?$/;

/** What the server refuses, or does nothing with; the message, or undefined when all is well. */
const CHECKS: ((options: Options, kind: string) => string | undefined)[] = [
  function numbers({ owners, segments, maxCount, capacityFactor }) {
    const bad = Object.entries({ owners, segments, maxCount })
      .find(([, number]) => number !== undefined && !(Number.isInteger(number) && number >= 1));
    if (bad) return `${bad[0]} must be a whole number of at least 1, given ${bad[1]}`;
    return capacityFactor !== undefined && !(capacityFactor >= 0) ? `capacityFactor must be at least 0, given ${capacityFactor}` : undefined;
  },

  function encodings({ encoding, keyEncoding, valueEncoding }) {
    if (encoding !== undefined && (keyEncoding !== undefined || valueEncoding !== undefined)) {
      return 'encoding beside keyEncoding or valueEncoding: give the one or the others';
    }
    if ((keyEncoding === undefined) !== (valueEncoding === undefined)) return 'keyEncoding and valueEncoding belong together: give both, or encoding';
    const bad = [encoding, keyEncoding, valueEncoding].find((type) => type !== undefined && !MEDIA_TYPE.test(type));
    return bad === undefined ? undefined : `an encoding must be a media type such as application/x-protostream, given ${JSON.stringify(bad)}`;
  },

  function bounds({ maxCount, maxSize, whenFull, encoding, keyEncoding, memoryStorage, indexedEntities }) {
    if (maxCount !== undefined && maxSize !== undefined) return 'maxCount and maxSize: the server knows one bound only';
    if (whenFull && maxCount === undefined && maxSize === undefined) return `whenFull ${whenFull} needs maxCount or maxSize: it is never full without`;
    if (maxSize === undefined) return undefined;
    if (parseQuantity(maxSize, 'maxSize') < 1) return `maxSize must be at least one byte, given ${maxSize}`;
    const binary = (encoding ?? keyEncoding ?? (indexedEntities && 'application/x-protostream')) !== undefined && !/x-java-object/.test(encoding ?? '');
    if (binary || memoryStorage === 'OFF_HEAP') return undefined;
    return `maxSize ${maxSize} needs an encoding of bytes (not application/x-java-object), or memoryStorage OFF_HEAP: nothing else has a size that the server can tell`;
  },

  function exceptionWhenFull({ whenFull, transactions }) {
    const allowed: (string | undefined)[] = [CacheTransactionMode.NON_DURABLE_XA, CacheTransactionMode.FULL_XA];
    if (whenFull !== CacheWhenFull.EXCEPTION || allowed.includes(transactions)) return undefined;
    return `whenFull EXCEPTION needs transactions NON_DURABLE_XA or FULL_XA, given ${transactions ?? 'none'}`;
  },

  function writingWhatIsRemoved({ passivation, stores = [], maxCount, maxSize }) {
    if (!passivation) return undefined;
    if (stores.length === 0) return 'passivation needs stores: there is nothing to write to';
    if (maxCount === undefined && maxSize === undefined) return 'passivation needs maxCount or maxSize: nothing is ever removed from memory without';
    const shared = stores.find(({ _shared }) => _shared);
    if (shared) return `passivation with ${shared._what}, which all servers share: use CacheStore.file, or leave passivation out`;
    return stores.some(({ _options }) => _options.readOnly) ? 'passivation with a store that is readOnly: leave one of both out' : undefined;
  },

  function maxIdleWithStores({ maxIdle, stores = [], passivation }) {
    return maxIdle && stores.length > 0 && !passivation ? 'maxIdle with stores needs passivation: stores do not know when an entry was used' : undefined;
  },

  function transactions({ transactions: mode = CacheTransactionMode.NONE, transactionLocking, isolation, replication }) {
    if (mode === CacheTransactionMode.NONE) {
      if (transactionLocking) return `transactionLocking ${transactionLocking} needs transactions`;
      return isolation ? `isolation ${isolation} needs transactions` : undefined;
    }
    return replication === CacheReplication.ASYNC ? `transactions ${mode} with replication ASYNC: they need the answers of the other servers` : undefined;
  },

  function index({ indexedEntities, indexStorage }, kind) {
    if (!indexedEntities) return indexStorage ? `indexStorage ${indexStorage} needs indexedEntities` : undefined;
    if (indexedEntities.length === 0) return 'indexedEntities must hold at least one name, given none';
    return kind === 'invalidation-cache' ? 'indexedEntities with an invalidation cache: its entries are not the whole' : undefined;
  },

  function roles({ roles: names }) {
    if (names?.length === 0) return 'roles must hold at least one name, given none: leave it out to let all roles in';
    const bad = names?.find((name) => !/^\S+$/.test(name));
    return bad === undefined ? undefined : `a role must be a name without spaces, given ${JSON.stringify(bad)}`;
  },

  function backups({ backups: sites = [] }) {
    const names = sites.map(({ site }) => site);
    const bad = names.find((name) => !/^[-\w.]+$/.test(name));
    if (bad !== undefined) return `site of a backup must have letters, digits, '-', '_' and '.' only, given ${JSON.stringify(bad)}`;
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) return `backups name site ${twice} twice`;
    const failing = sites.find(({ failurePolicy, strategy }) => failurePolicy === 'FAIL' && strategy !== 'SYNC');
    return failing ? `failurePolicy FAIL of backup ${failing.site} needs strategy SYNC: the client has its answer before` : undefined;
  },
];

/** Throws for the first mistake. */
export function checkOptions(kind: string, options: Options) {
  for (const check of CHECKS) {
    const message = check(options, kind);
    if (message) throw new Error(`configuration of a ${kind}: ${message}`);
  }
}
