import { Duration } from 'cdk8s';
import { AgentMetrics } from '../../policy-agent/agent-metrics';
import { NodeRequirement, Toleration } from '../../policy-agent/scheduling';
import { CacheResources } from '../cache-resources';
import { ConfigOrphans, ConfigReconcilerLogLevel } from './config-policies';
import { ReconciledClusterOptions } from './reconciled-cluster-options';

/** Options of a `ConfigReconciler`, whoever makes it. */
export interface ConfigReconcilerOptions {
  /**
   * Name of its objects. A DNS label. The resources that it makes carry it, so that of orphans it removes none but its own.
   *
   * @default - the construct's id in lower case, with dashes for what a DNS label does not allow; `<cluster>-reconciler` of a cluster's own
   */
  readonly reconcilerName?: string;

  /**
   * What becomes of resources that it has made when it does not serve their cluster any more.
   *
   * @default ConfigOrphans.KEEP
   */
  readonly orphans?: ConfigOrphans;

  /**
   * Whether counters, templates, schemas and tasks are applied from ConfigMaps of the namespace, whoever has made them. It may
   * then change all ConfigMaps of the namespace.
   *
   * @default - only those that this app makes, if there are any
   */
  readonly definitions?: boolean;

  /**
   * What it logs. A change takes effect without a restart.
   *
   * @default ConfigReconcilerLogLevel.INFO
   */
  readonly logLevel?: ConfigReconcilerLogLevel;

  /**
   * How Prometheus finds its metrics, which are on port 8080.
   *
   * @default AgentMetrics.none()
   */
  readonly metrics?: AgentMetrics;

  /**
   * Image with Node 20 or newer on the path, that runs the program from a ConfigMap.
   *
   * @default 'docker.io/library/node:20.20.2-slim'
   */
  readonly nodeImage?: string;

  /**
   * Image whose entrypoint is the program itself, such as one that `reconciler/Dockerfile` of this library makes.
   *
   * @default - none: the program comes from a ConfigMap
   */
  readonly image?: string;

  /**
   * Names of Secrets with credentials for image registries.
   *
   * @default - none
   */
  readonly imagePullSecrets?: string[];

  /**
   * Service account of the pod, which gets the rights that are needed.
   *
   * @default - one is made
   */
  readonly serviceAccountName?: string;

  /**
   * Requests and limits. Half of the memory limit is for the heap.
   *
   * @default - 10m CPU and 32Mi of memory asked for, 128Mi of memory at most: enough for 10,000 caches
   */
  readonly resources?: CacheResources;

  /**
   * Conditions that a node must meet, all of them.
   *
   * @default - every node
   */
  readonly nodes?: NodeRequirement[];

  /**
   * Taints that the pod accepts.
   *
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /**
   * Priority class of the pod.
   *
   * @default - the Kubernetes cluster's default
   */
  readonly priorityClassName?: string;

  /**
   * After what time a pod that does not stop is killed. Whole seconds. Nothing is lost by that: it begins with a look at everything.
   *
   * @default Duration.seconds(15)
   */
  readonly terminationGracePeriod?: Duration;

  /**
   * Labels of all objects and of the pod, besides its own.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Annotations of all objects (the pod has its own).
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;

  /**
   * Annotations of the pod.
   *
   * @default - none
   */
  readonly podAnnotations?: Record<string, string>;

  /**
   * A partial pod template (`metadata`, `spec`), merged over that of the Deployment: objects are merged, containers, volumes and
   * variables are matched by name, other lists are replaced, `null` or `{ $patch: 'delete' }` removes.
   *
   * @default - none
   */
  readonly podOverrides?: any;

  /**
   * Partial objects, each with `kind` and `metadata.name`, merged (RFC 7386: lists are replaced, `null` or
   * `{ $patch: 'delete' }` removes) over the object of that kind and name. One that fits no object is an error.
   *
   * @default - none
   */
  readonly objectOverrides?: any[];
}

/** Properties for `ConfigReconciler`. */
export interface ConfigReconcilerProps extends ConfigReconcilerOptions {
  /**
   * Namespace of it, and of the clusters that it serves.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;
}

/** Options of `ConfigReconciling.own`: those of the workload, and of the one cluster that it serves. */
export interface OwnConfigReconcilerOptions extends ConfigReconcilerOptions, ReconciledClusterOptions {}
