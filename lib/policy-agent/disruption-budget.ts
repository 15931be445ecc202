import type { PercentOrAbsolute } from 'cdk8s-plus-28';

/**
 * How many of the agent's pods an eviction (a drained node, say) may take away at a time. Pods that are not ready never
 * block an eviction.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 */
export class DisruptionBudget {
  /** So many pods of all role groups may be missing. */
  public static maxUnavailable(pods: PercentOrAbsolute): DisruptionBudget {
    if (pods.isZero()) throw new Error(`maxUnavailable of a disruption budget must be above 0, given ${pods.value}: it would block every eviction`);
    return new DisruptionBudget({ maxUnavailable: pods.value });
  }

  /** So many pods of all role groups must be there. Refused when it is all of them. */
  public static minAvailable(pods: PercentOrAbsolute): DisruptionBudget {
    return new DisruptionBudget({ minAvailable: pods.value });
  }

  /** No budget. */
  public static none(): DisruptionBudget {
    return new DisruptionBudget();
  }

  private constructor(
    /** @internal */
    public readonly _spec?: { maxUnavailable?: number | string; minAvailable?: number | string },
  ) {}
}
