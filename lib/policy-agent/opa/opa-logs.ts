import { Duration } from 'cdk8s';
import { OpaRemote } from './opa-remote';

/**
 * Where decisions are logged. At least one of `console` and `remote` must be given.
 *
 * @see https://www.openpolicyagent.org/docs/management-decision-logs
 */
export interface OpaDecisionLogs {
  /**
   * Write decisions to the container's log.
   *
   * @default false
   */
  readonly console?: boolean;

  /**
   * Server that takes decisions. The path of its URL is where they are posted.
   *
   * @default - none
   */
  readonly remote?: OpaRemote;

  /**
   * Shortest time between two uploads, in whole seconds.
   *
   * @default - OPA's (300 seconds), or `uploadMax` if that is less
   */
  readonly uploadMin?: Duration;

  /**
   * Longest time between two uploads, in whole seconds.
   *
   * @default - OPA's (600 seconds), or `uploadMin` if that is more
   */
  readonly uploadMax?: Duration;

  /**
   * Decisions logged in a second at most; those above are dropped.
   *
   * @default - no limit
   */
  readonly maxDecisionsPerSecond?: number;

  /**
   * Path of the rule that masks parts of a logged decision.
   *
   * @default - OPA's (`system/log/mask`)
   */
  readonly maskDecision?: string;
}

/**
 * Where OPA reports the state of its bundles. It always stands among the metrics.
 *
 * @see https://www.openpolicyagent.org/docs/management-status
 */
export interface OpaStatus {
  /**
   * Write status to the container's log.
   *
   * @default false
   */
  readonly console?: boolean;

  /**
   * Server that takes status. It is posted to `/status` below the path of the URL.
   *
   * @default - none
   */
  readonly remote?: OpaRemote;
}
