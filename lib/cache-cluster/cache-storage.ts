import { parseQuantity } from '../private/quantity';

/** Options of `CacheStorage.persistent`. */
export interface PersistentCacheStorageOptions {
  /**
   * Bytes of each server's volume, as a Kubernetes quantity. At least the memory limit, so that a graceful stop finds room.
   *
   * @default - the memory limit, and 1Gi at least
   */
  readonly size?: string;

  /**
   * Storage class of the volumes.
   *
   * @default - the cluster's default
   */
  readonly storageClassName?: string;
}

/** Options of `CacheStorage.ephemeral`. */
export interface EphemeralCacheStorageOptions {
  /**
   * Bytes at most, as a Kubernetes quantity. Not with the operator, which has no such limit.
   *
   * @default - 1Gi in a StatefulSet, so that a server that writes too much hurts no other pod
   */
  readonly sizeLimit?: string;
}

/** Where servers keep what they know: the state of the cluster, definitions made at run time, and entries of file stores. */
export class CacheStorage {
  /** On a volume of each server's own, which outlives it. */
  public static persistent(options: PersistentCacheStorageOptions = {}): CacheStorage {
    if (options.size !== undefined && parseQuantity(options.size, 'size of the storage') <= 0) {
      throw new Error(`size of the storage must be above 0, given ${options.size}`);
    }
    return new CacheStorage(options, undefined);
  }

  /** On the node, as long as the pod lives. */
  public static ephemeral(options: EphemeralCacheStorageOptions = {}): CacheStorage {
    if (options.sizeLimit !== undefined) parseQuantity(options.sizeLimit, 'sizeLimit of the storage');
    return new CacheStorage(undefined, options);
  }

  private constructor(
    /** @internal */
    public readonly _persistent?: PersistentCacheStorageOptions,
    /** @internal */
    public readonly _ephemeral?: EphemeralCacheStorageOptions,
  ) {}
}
