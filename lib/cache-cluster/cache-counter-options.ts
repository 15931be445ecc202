import { CacheResourceOptions } from './cache-resource-options';
import { CacheUpdateStrategy } from './cache-update-strategy';

/** How exact a counter is. */
export enum CacheCounterType {
  /** All servers see the same value. */
  STRONG = 'strong-counter',

  /** Quick to change, slow to tell. */
  WEAK = 'weak-counter',
}

/** How long a counter's value lives. */
export enum CacheCounterStorage {
  /** As long as one server of the cluster runs. */
  VOLATILE = 'VOLATILE',

  /** As long as the servers' storage. */
  PERSISTENT = 'PERSISTENT',
}

/** Options of `addCounter`. */
export interface CacheCounterOptions extends CacheResourceOptions {
  /**
   * How exact it is.
   *
   * @default CacheCounterType.STRONG
   */
  readonly type?: CacheCounterType;

  /**
   * Value at the start.
   *
   * @default 0
   */
  readonly initialValue?: number;

  /**
   * How long its value lives.
   *
   * @default CacheCounterStorage.VOLATILE
   */
  readonly storage?: CacheCounterStorage;

  /**
   * Lowest value. Only of a strong counter.
   *
   * @default - none
   */
  readonly lowerBound?: number;

  /**
   * Highest value. Only of a strong counter.
   *
   * @default - none
   */
  readonly upperBound?: number;

  /**
   * What happens when it is changed, since the server changes no counter: made anew, it begins with its initial value. Only with a reconciler.
   *
   * @default CacheUpdateStrategy.RETAIN
   */
  readonly updates?: CacheUpdateStrategy;
}
