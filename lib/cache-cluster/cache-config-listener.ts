import { CacheResources } from './cache-resources';

/** What the operator's listener logs. */
export enum CacheConfigListenerLogLevel {
  /** Everything. */
  DEBUG = 'debug',

  /** What it does. */
  INFO = 'info',

  /** What it could not do. */
  ERROR = 'error',
}

/** Options of `CacheConfigListener.on`. */
export interface CacheConfigListenerOptions {
  /**
   * Requests and limits.
   *
   * @default - cpu 500m at most and 100m asked for, memory 256Mi at most and 64Mi asked for
   */
  readonly resources?: CacheResources;

  /**
   * What it logs.
   *
   * @default CacheConfigListenerLogLevel.INFO
   */
  readonly logLevel?: CacheConfigListenerLogLevel;

  /**
   * Service account with the rights that it needs.
   *
   * @default - the operator makes one
   */
  readonly serviceAccountName?: string;
}

/** The operator's own listener: a pod that makes a `Cache` resource for each cache that clients make. */
export class CacheConfigListener {
  /** On. It may then run commands in every pod of the namespace, and read its Secrets. */
  public static on(options: CacheConfigListenerOptions = {}): CacheConfigListener {
    return new CacheConfigListener(options);
  }

  /** Off: caches that clients make have no resource. */
  public static off(): CacheConfigListener {
    return new CacheConfigListener();
  }

  private constructor(
    /**
     * Undefined when it is off.
     *
     * @internal
     */
    public readonly _options?: CacheConfigListenerOptions,
  ) {}
}
