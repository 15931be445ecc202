import { Duration } from 'cdk8s';
import { Acknowledgement } from './acknowledgement';
import { AgentAccess } from './agent-access';
import { AgentMetrics } from './agent-metrics';
import { AgentTls } from './agent-tls';
import { DeploymentMode } from './deployment-mode';
import { DisruptionBudget } from './disruption-budget';
import { IPolicyEngine } from './engine';
import { KubernetesVersion } from './kubernetes-version';
import { AgentNetworkPolicy } from './network-peer';
import { RoleGroup } from './role-group';
import { AgentRollout } from './rollout';
import { TopologySpread } from './scheduling';
import { InternalTrafficPolicy, IpFamily, TrafficDistribution } from './traffic';

/** When the kubelet pulls images. */
export enum AgentImagePullPolicy {
  /** At every start. */
  ALWAYS = 'Always',

  /** When the node has no image of that reference. */
  IF_NOT_PRESENT = 'IfNotPresent',

  /** Never. */
  NEVER = 'Never',
}

/** Properties for `PolicyAgent`. */
export interface PolicyAgentProps {
  /** The server that decides. */
  readonly engine: IPolicyEngine;

  /**
   * Workload that runs the engine.
   *
   * @default - the engine's: DaemonSet for OPA, Deployment for Cerbos
   */
  readonly deploymentMode?: DeploymentMode;

  /**
   * The deployment mode of the last release, while it is being changed. Both workloads stand for one release, behind one
   * Service that reaches the pods of both; the next release leaves this out, and the old workload is no longer emitted. Only
   * with `AgentAccess.service()` as the one way of access.
   *
   * @default - the mode is not being changed
   */
  readonly migrateFrom?: DeploymentMode;

  /**
   * Name of the agent. Its Service and discovery ConfigMap are called so, its workloads `<instanceName>-<role group>`.
   * A DNS label.
   *
   * @default - the construct's id in lower case, with dashes for what a DNS label does not allow
   */
  readonly instanceName?: string;

  /**
   * Namespace of the agent.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * Role groups by name. The name is part of the workload's name and of its (immutable) selector.
   *
   * @default - one, called 'default'
   */
  readonly roleGroups?: Record<string, RoleGroup>;

  /**
   * Ways by which clients reach the agent.
   *
   * @default [AgentAccess.service()]
   */
  readonly access?: AgentAccess[];

  /**
   * Which of the agent's pods the Service reaches.
   *
   * @default - LOCAL for a DaemonSet, unset (any pod) for a Deployment
   */
  readonly internalTrafficPolicy?: InternalTrafficPolicy;

  /**
   * Which of the agent's pods the Service prefers. Needs `internalTrafficPolicy: CLUSTER` in a DaemonSet, since Local
   * makes it inert.
   *
   * @default - none preferred
   */
  readonly trafficDistribution?: TrafficDistribution;

  /**
   * Also emit a headless Service, `<instanceName>-headless`, for clients that balance by themselves. gRPC clients do,
   * if they are told to; behind the plain Service each of them sticks to one pod.
   *
   * @default false
   */
  readonly headlessService?: boolean;

  /**
   * Address families of the Services, and of the node's address that clients of a hostPort are given.
   *
   * @default - the cluster's own
   */
  readonly ipFamily?: IpFamily;

  /**
   * Domain of the cluster, appended to addresses and certificates.
   *
   * @default - none; pods find `<name>.<namespace>.svc` by their search path
   */
  readonly clusterDomain?: string;

  /**
   * TLS on the agent's API.
   *
   * @default - plain text
   */
  readonly tls?: AgentTls;

  /**
   * How many pods a rollout adds and takes away at a time.
   *
   * @default - 1 more, none less; with a hostPort or a node socket none more, 1 less
   */
  readonly rollout?: AgentRollout;

  /**
   * How many pods an eviction may take away at a time. One budget for all role groups. Refused for a DaemonSet, where
   * Kubernetes cannot keep it.
   *
   * @default - 1 pod may be missing (Deployment)
   */
  readonly disruptionBudget?: DisruptionBudget;

  /**
   * Weight, 1 to 100, of the preference for nodes without another pod of the agent.
   *
   * @default 70 (Deployment)
   */
  readonly spreadWeight?: number;

  /**
   * Spreading over zones and the like. Refused for a DaemonSet, whose pods belong to their nodes.
   *
   * @default - none
   */
  readonly topologySpread?: TopologySpread[];

  /**
   * Priority class of the pods. For `system-*` classes outside of `kube-system` a ResourceQuota is emitted, which some
   * clusters demand.
   *
   * @default - the cluster's default
   * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default
   */
  readonly priorityClassName?: string;

  /**
   * How Prometheus finds the agent's metrics.
   *
   * @default AgentMetrics.annotations()
   */
  readonly metrics?: AgentMetrics;

  /**
   * Who may reach the agent's pods.
   *
   * @default - no NetworkPolicy: everyone
   */
  readonly networkPolicy?: AgentNetworkPolicy;

  /**
   * How long the agent goes on answering after it was told to stop, until no client is sent to it any more. Whole
   * seconds.
   *
   * @default Duration.seconds(5)
   */
  readonly shutdownWait?: Duration;

  /**
   * After what time an agent that does not stop is killed. At least `shutdownWait` and the engine's own time to stop
   * (10 seconds for OPA, 30 for Cerbos). Whole seconds.
   *
   * @default - both together and 5 seconds more
   */
  readonly terminationGracePeriod?: Duration;

  /**
   * User and group id of the containers.
   *
   * @default - the engine's: 1000 for OPA, 65532 for Cerbos; 0, without capabilities, when the kubelet makes a socket's directory
   */
  readonly runAsUser?: number;

  /**
   * When images are pulled.
   *
   * @default AgentImagePullPolicy.IF_NOT_PRESENT
   */
  readonly imagePullPolicy?: AgentImagePullPolicy;

  /**
   * Names of Secrets with credentials for image registries.
   *
   * @default - none
   */
  readonly imagePullSecrets?: string[];

  /**
   * Service account of the pods, for credentials that a cloud ties to it. No token is mounted in any case.
   *
   * @default - the namespace's default
   */
  readonly serviceAccountName?: string;

  /**
   * Labels of all objects and pods, besides the agent's own.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Annotations of all objects (pods have their own), such as `argocd.argoproj.io/sync-options`.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;

  /**
   * Annotations of the pods.
   *
   * @default - those of `metrics` and the checksum of the configuration
   */
  readonly podAnnotations?: Record<string, string>;

  /**
   * The oldest Kubernetes version that the manifests must work on.
   *
   * @default KubernetesVersion.V1_34
   */
  readonly kubernetesVersion?: KubernetesVersion;

  /**
   * Refusals that are to be passed over.
   *
   * @default - none
   */
  readonly acknowledge?: Acknowledgement[];

  /**
   * A partial pod template (`metadata`, `spec`), merged over that of every role group: objects are merged, containers,
   * volumes and variables are matched by name, other lists are replaced, `null` or `{ $patch: 'delete' }`
   * removes.
   *
   * @default - none
   */
  readonly podOverrides?: any;

  /**
   * Partial objects, each with `kind` and `metadata.name`, merged (RFC 7386: lists are replaced, `null` or
   * `{ $patch: 'delete' }` removes) over the object of that kind and name. One that fits no object of the agent is an error.
   *
   * @default - none
   */
  readonly objectOverrides?: any[];
}
