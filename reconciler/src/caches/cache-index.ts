import { CacheRecord, cacheRecord } from './cache-record';
import { CacheResource } from '../kubernetes/objects';
import { RecordIndex } from '../kubernetes/record-index';

/** All `Cache` resources of the namespace, by what they stand for. */
export class CacheIndex extends RecordIndex<CacheResource, CacheRecord> {
  /** @param changed Is told whose key is to be looked at. */
  public constructor(changed: (cluster: string, cache: string) => void) {
    super({ read: cacheRecord, keyOf: ({ cache }) => cache, changed });
  }
}
