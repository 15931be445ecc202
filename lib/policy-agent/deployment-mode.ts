import { InternalTrafficPolicy } from './traffic';

/** Which workload runs the agent. All that follows from it is derived. */
export enum DeploymentMode {
  /** One agent on every node that the role groups select. */
  DAEMON_SET = 'DaemonSet',

  /** A few replicas, spread over the nodes. */
  DEPLOYMENT = 'Deployment',

  /**
   * A container in the pod of each client that `addClient` names, reached by loopback or by a socket that both mount. It is
   * ready before the client starts, and outlives it.
   *
   * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
   */
  SIDECAR = 'Sidecar',
}

/** How many pods a rollout may add and take away at a time. */
export interface ModeRollout {
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
}

/** What follows from a deployment mode. */
export interface ModeTraits {
  /** The workload of each role group. Without one the agent runs in the pods of its clients, and has nothing of its own. */
  readonly workload?: {
    readonly kind: 'DaemonSet' | 'Deployment';
    /** Field of the workload's spec that holds the rollout. */
    readonly strategyField: 'updateStrategy' | 'strategy';
    readonly rollout: ModeRollout;
  };
  /** Seconds for which a pod that is to stop goes on answering: a client's own container is told last, and need not wait. */
  readonly shutdownWaitSeconds: number;
  /** One pod on each node: what `scaled` holds has no meaning, and clients may rely on an agent beside them. */
  readonly perNode?: {
    readonly internalTrafficPolicy: InternalTrafficPolicy;
    /** With a hostPort or a fixed socket two pods cannot share a node, not even for a moment. */
    readonly fixedEndpointRollout: ModeRollout;
  };
  /** A number of pods anywhere: replicas, a disruption budget, spreading, autoscaling. */
  readonly scaled?: {
    readonly replicas: number;
    readonly maxUnavailable: number;
    /** Weight of the soft anti-affinity by host name. Above the 50 by which clients are drawn to agents. */
    readonly spreadWeight: number;
  };
}

/** The one place that knows what a mode means. */
export const MODES: Record<DeploymentMode, ModeTraits> = {
  [DeploymentMode.DAEMON_SET]: {
    workload: { kind: 'DaemonSet', strategyField: 'updateStrategy', rollout: { maxSurge: 1, maxUnavailable: 0 } },
    shutdownWaitSeconds: 5,
    perNode: {
      internalTrafficPolicy: InternalTrafficPolicy.LOCAL,
      fixedEndpointRollout: { maxSurge: 0, maxUnavailable: 1 },
    },
  },
  [DeploymentMode.DEPLOYMENT]: {
    workload: { kind: 'Deployment', strategyField: 'strategy', rollout: { maxSurge: 1, maxUnavailable: 0 } },
    shutdownWaitSeconds: 5,
    scaled: { replicas: 2, maxUnavailable: 1, spreadWeight: 70 },
  },
  [DeploymentMode.SIDECAR]: { shutdownWaitSeconds: 0 },
};
