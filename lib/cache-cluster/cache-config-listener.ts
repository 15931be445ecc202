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

/** Options of `ConfigReconciling.operatorListener`. */
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
