import type { PercentOrAbsolute } from 'cdk8s-plus-28';

/**
 * How many pods a rollout may add and take away at a time. A field that is left out follows from the other one and the
 * deployment mode.
 */
export interface AgentRollout {
  /**
   * Pods above the wanted number. In a DaemonSet: nodes that run the old and the new pod at once.
   *
   * @default - 1; 0 with a hostPort or a node socket, or in a DaemonSet with `maxUnavailable`
   */
  readonly maxSurge?: PercentOrAbsolute;

  /**
   * Pods that may be missing.
   *
   * @default - 0; 1 when nothing may surge
   */
  readonly maxUnavailable?: PercentOrAbsolute;
}
