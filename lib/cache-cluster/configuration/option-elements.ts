import { CacheBackupStrategy, CacheIndexStorage, CacheTransactionMode, LocalCacheOptions, ReplicatedCacheOptions } from './cache-configuration-options';
import { Element } from './element';
import { parseQuantity } from '../../private/quantity';

type Options = LocalCacheOptions & Partial<ReplicatedCacheOptions>;

/** The elements inside of a cache that its options come to; what was not asked for is left to the server. */
export function optionElements(options: Options, clustered: boolean): Element[] {
  const { backups = [], stores = [] } = options;
  return [
    ...encoding(options),
    ...some({
      name: 'locking', attributes: { 'isolation': options.isolation, 'acquire-timeout': options.lockTimeout?.toMilliseconds() },
    }),
    ...(options.transactions && options.transactions !== CacheTransactionMode.NONE
      ? [{ name: 'transaction', attributes: { mode: options.transactions, locking: options.transactionLocking } }]
      : []),
    ...some({
      name: 'expiration', attributes: { 'lifespan': options.lifespan?.toMilliseconds(), 'max-idle': options.maxIdle?.toMilliseconds() },
    }),
    ...some({ name: 'memory', attributes: memory(options) }),
    ...(stores.length === 0 ? [] : [{
      name: 'persistence', attributes: { passivation: options.passivation ?? false }, children: stores.map((store) => store._element(clustered)),
    }]),
    ...(options.indexedEntities ? [index(options)] : []),
    ...(options.roles ? [{ name: 'security', children: [{ name: 'authorization', attributes: { roles: [...options.roles] } }] }] : []),
    ...some({ name: 'state-transfer', attributes: { timeout: options.stateTransferTimeout?.toMilliseconds() } }),
    ...some({ name: 'partition-handling', attributes: { 'when-split': options.whenSplit, 'merge-policy': options.mergePolicy } }),
    ...(backups.length === 0 ? [] : [{
      name: 'backups',
      keyed: {
        by: 'site',
        children: backups.map(({ site, strategy = CacheBackupStrategy.ASYNC, failurePolicy, timeout }) => ({
          name: 'backup', attributes: { site, strategy, 'failure-policy': failurePolicy, 'timeout': timeout?.toMilliseconds() },
        })),
      },
    }]),
  ];
}

function encoding({ encoding: both, keyEncoding, valueEncoding, indexedEntities }: Options): Element[] {
  if (keyEncoding !== undefined) {
    return [{
      name: 'encoding',
      children: [{ name: 'key', attributes: { 'media-type': keyEncoding } }, { name: 'value', attributes: { 'media-type': valueEncoding } }],
    }];
  }
  const mediaType = both ?? (indexedEntities && 'application/x-protostream');
  return some({ name: 'encoding', attributes: { 'media-type': mediaType } });
}

function memory({ memoryStorage, maxCount, maxSize, whenFull }: Options): Element['attributes'] {
  const bounded = maxCount !== undefined || maxSize !== undefined;
  return {
    'storage': memoryStorage,
    'max-size': maxSize === undefined ? undefined : Math.floor(parseQuantity(maxSize, 'maxSize')),
    'max-count': maxCount,
    'when-full': whenFull ?? (bounded ? 'REMOVE' : undefined),
  };
}

function index({ indexedEntities, indexStorage = CacheIndexStorage.FILESYSTEM }: Options): Element {
  return {
    name: 'indexing',
    attributes: { storage: indexStorage },
    children: [{ name: 'indexed-entities', texts: { item: 'indexed-entity', values: [...indexedEntities!] } }],
  };
}

/** The element, unless nothing of it was asked for. */
function some(element: Element): Element[] {
  return Object.values(element.attributes!).some((value) => value !== undefined) ? [element] : [];
}
