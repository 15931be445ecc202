import { Duration } from 'cdk8s';

/** When a probe is sent, and how many count. */
export interface CacheProbe {
  /**
   * Failures in a row that count.
   *
   * @default - 5; of the startup probe 600
   */
  readonly failureThreshold?: number;

  /**
   * When the first one is sent. Whole seconds.
   *
   * @default - at once; of the startup probe after 3 seconds
   */
  readonly initialDelay?: Duration;

  /**
   * How often they are sent. Whole seconds.
   *
   * @default - every 10 seconds; of the startup probe every second
   */
  readonly period?: Duration;

  /**
   * Successes in a row that count.
   *
   * @default 1
   */
  readonly successThreshold?: number;

  /**
   * How long an answer may take. Whole seconds.
   *
   * @default Duration.seconds(1)
   */
  readonly timeout?: Duration;
}
