import { NodeRequirement, Toleration } from './scheduling';

/**
 * Requests and limits of the agent's container, as Kubernetes quantities.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 */
export interface AgentResources {
  /**
   * Cores asked for, such as `250m`.
   *
   * @default - the engine's
   */
  readonly cpuRequest?: string;

  /**
   * Cores at most. A limit slows the agent down in bursts, so there is none unless it is asked for.
   *
   * @default - no limit
   */
  readonly cpuLimit?: string;

  /**
   * Bytes asked for, such as `128Mi`.
   *
   * @default - the engine's
   */
  readonly memoryRequest?: string;

  /**
   * Bytes at most.
   *
   * @default - the engine's
   */
  readonly memoryLimit?: string;
}

/**
 * A HorizontalPodAutoscaler for one role group. The number of replicas is left to it.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
export interface AgentAutoscaling {
  /**
   * Pods at least.
   *
   * @default 2
   */
  readonly minReplicas?: number;

  /** Pods at most. */
  readonly maxReplicas: number;

  /**
   * Processor use to aim at, in percent of the request.
   *
   * @default 80
   */
  readonly targetCpuPercent?: number;
}

/**
 * Agents that share their replicas, nodes and resources. Each role group is a workload of its own; all stand behind one
 * Service, one discovery ConfigMap and one disruption budget.
 */
export interface RoleGroup {
  /**
   * Number of pods. Ignored, with a warning, where the mode has one pod on each node.
   *
   * @default 2
   */
  readonly replicas?: number;

  /**
   * Conditions that a node must meet, all of them. In DaemonSet mode no two role groups may select the same node.
   *
   * @default - every node
   */
  readonly nodes?: NodeRequirement[];

  /**
   * Taints that the pods accept.
   *
   * @default - none besides those that Kubernetes adds to every pod of a DaemonSet
   */
  readonly tolerations?: Toleration[];

  /**
   * Requests and limits of the agent's container.
   *
   * @default - the engine's: small requests, a memory limit, no CPU limit
   */
  readonly resources?: AgentResources;

  /**
   * Let a HorizontalPodAutoscaler choose the number of pods.
   *
   * @default - a fixed number
   */
  readonly autoscaling?: AgentAutoscaling;

  /**
   * A partial pod template (`metadata`, `spec`), merged over the generated one after the agent's own `podOverrides`:
   * objects are merged, containers, volumes and variables are matched by name, other lists are replaced, `null` or
   * `{ $patch: 'delete' }` removes.
   *
   * @default - none
   */
  readonly podOverrides?: any;
}
