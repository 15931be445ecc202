import { Duration } from 'cdk8s';
import { EnvValue } from 'cdk8s-plus-28';
import { CacheAcknowledgement } from './cache-acknowledgement';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { CacheExpose } from './cache-expose';
import { CacheLibrary } from './cache-library';
import { CacheMonitoring } from './cache-monitoring';
import { CacheNetworkPolicy } from './cache-network-policy';
import { CacheProbe } from './cache-probe';
import { CacheResources } from './cache-resources';
import { CacheRole } from './cache-role';
import { CacheSites } from './cache-sites';
import { CacheStorage } from './cache-storage';
import { CacheTls } from './cache-tls';
import { CacheUpgradeStrategy } from './cache-upgrade-strategy';
import { ConfigReconciling } from './reconciler/config-reconciling';
import { DisruptionBudget } from '../policy-agent/disruption-budget';
import { NodeRequirement, Toleration, TopologySpread } from '../policy-agent/scheduling';

/** What a category of the log says. */
export enum CacheLogLevel {
  /** Everything. */
  TRACE = 'trace',

  /** Much. */
  DEBUG = 'debug',

  /** What happens. */
  INFO = 'info',

  /** What may be wrong. */
  WARN = 'warn',

  /** What is wrong. */
  ERROR = 'error',
}

/** Properties for `CacheCluster`. */
export interface CacheClusterProps {
  /**
   * What runs the servers.
   *
   * @default CacheDeploymentMode.OPERATOR
   */
  readonly deploymentMode?: CacheDeploymentMode;

  /**
   * Name of the cluster, and of its Service. A DNS label of at most 52 characters.
   *
   * @default - the construct's id in lower case, with dashes for what a DNS label does not allow
   */
  readonly clusterName?: string;

  /**
   * Namespace of the cluster.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * Number of servers. The operator stops a cluster with 0 in good order; a StatefulSet would lose what is in memory.
   *
   * @default 3
   */
  readonly replicas?: number;

  /**
   * Version of the server, such as `15.2.6`.
   *
   * @default - the newest that the operator knows; in a StatefulSet 15.2.6, which this library is tested with
   */
  readonly version?: string;

  /**
   * Version of the last release, so that a downgrade is refused.
   *
   * @default - that of `previousManifest`, if there is one
   */
  readonly previousVersion?: string;

  /**
   * Version of the operator, which decides what resources there are.
   *
   * @default - the newest
   */
  readonly operatorVersion?: string;

  /**
   * Image of the servers.
   *
   * @default - the operator's; in a StatefulSet `quay.io/infinispan/server` of the version
   */
  readonly image?: string;

  /**
   * Names of Secrets with credentials for image registries. Only in a StatefulSet.
   *
   * @default - none
   */
  readonly imagePullSecrets?: string[];

  /**
   * Where servers keep what they know.
   *
   * @default CacheStorage.persistent()
   */
  readonly storage?: CacheStorage;

  /**
   * Requests and limits of a server.
   *
   * @default - 1Gi of memory; in a StatefulSet also 500m CPU asked for
   */
  readonly resources?: CacheResources;

  /**
   * Whether clients must say who they are.
   *
   * @default true
   */
  readonly endpointAuthentication?: boolean;

  /**
   * Secret with the users: key `identities.yaml` with the operator; `users.properties` (`name=password`) and `groups.properties`
   * (`name=role,role`) in a StatefulSet.
   *
   * @default - the operator makes one; needed in a StatefulSet with authentication
   */
  readonly usersSecret?: string;

  /**
   * Secret with keys `username` and `password`, from which bound clients get theirs. The user must be one of `usersSecret`.
   *
   * @default - none: clients cannot be bound while authentication is on
   */
  readonly clientCredentialsSecret?: string;

  /**
   * TLS between clients and servers.
   *
   * @default - plain text
   */
  readonly tls?: CacheTls;

  /**
   * Whether users may do only what their roles permit.
   *
   * @default - if there is authentication
   */
  readonly authorization?: boolean;

  /**
   * Roles and what they permit.
   *
   * @default - the server's: admin, deployer, application, observer, monitor
   */
  readonly roles?: CacheRole[];

  /**
   * How clients outside of the Kubernetes cluster reach the servers.
   *
   * @default - not at all
   */
  readonly expose?: CacheExpose;

  /**
   * Conditions that a node must meet, all of them.
   *
   * @default - every node
   */
  readonly nodes?: NodeRequirement[];

  /**
   * Taints that the pods accept.
   *
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /**
   * Weight, 1 to 100, of the preference for nodes without another server of the cluster.
   *
   * @default 100
   */
  readonly spreadWeight?: number;

  /**
   * Spreading over zones and the like.
   *
   * @default - none with the operator; in a StatefulSet over zones, by preference
   */
  readonly topologySpread?: TopologySpread[];

  /**
   * Priority class of the pods.
   *
   * @default - the Kubernetes cluster's default
   */
  readonly priorityClassName?: string;

  /**
   * Levels of categories of the log, such as `org.jgroups`.
   *
   * @default - INFO
   */
  readonly logCategories?: Record<string, CacheLogLevel>;

  /**
   * Pattern of log lines.
   *
   * @default - the operator's, which the StatefulSet has, too
   * @see https://logging.apache.org/log4j/2.x/manual/pattern-layout.html
   */
  readonly logPattern?: string;

  /**
   * How Prometheus finds the metrics.
   *
   * @default CacheMonitoring.none()
   */
  readonly monitoring?: CacheMonitoring;

  /**
   * Labels of all objects and pods, besides the cluster's own.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Annotations of all objects (pods have their own).
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;

  /**
   * Annotations of the pods.
   *
   * @default - none but the checksum of the configuration
   */
  readonly podAnnotations?: Record<string, string>;

  /**
   * Times of the probe that restarts a server.
   *
   * @default - see `CacheProbe`
   */
  readonly livenessProbe?: CacheProbe;

  /**
   * Times of the probe that sends clients to a server.
   *
   * @default - see `CacheProbe`
   */
  readonly readinessProbe?: CacheProbe;

  /**
   * Times of the probe that waits for the start.
   *
   * @default - see `CacheProbe`
   */
  readonly startupProbe?: CacheProbe;

  /**
   * After what time a server that does not stop is killed. Whole seconds. Until then a StatefulSet's server waits for entries
   * to get their owners back.
   *
   * @default - the operator's; in a StatefulSet 5 minutes
   */
  readonly terminationGracePeriod?: Duration;

  /**
   * How the servers get to a new version.
   *
   * @default - SHUTDOWN with the operator, IN_PLACE_ROLLING in a StatefulSet
   */
  readonly upgradeStrategy?: CacheUpgradeStrategy;

  /**
   * Options of the servers' Java.
   *
   * @default - none; in a StatefulSet half of the memory limit for the heap
   */
  readonly jvmOptions?: string[];

  /**
   * Options of the Java of the command line tool. Only with the operator.
   *
   * @default - none
   */
  readonly cliJvmOptions?: string[];

  /**
   * Options of the Java of the router between sites. Only with the operator.
   *
   * @default - none
   */
  readonly routerJvmOptions?: string[];

  /**
   * Further environment variables of the servers, for example of a database's password for `serverConfiguration`.
   *
   * @default - none
   */
  readonly environment?: Record<string, EnvValue>;

  /**
   * Files that servers load, such as database drivers.
   *
   * @default - none
   */
  readonly libraries?: CacheLibrary[];

  /**
   * Volume claim with files that servers load. Only with the operator.
   *
   * @default - none
   */
  readonly librariesVolumeClaim?: string;

  /**
   * Further configuration of the servers in YAML, JSON or XML, such as data sources, laid over that which is made here.
   *
   * @default - none
   */
  readonly serverConfiguration?: string;

  /**
   * Sites between which caches are replicated. Only with the operator.
   *
   * @default - none
   */
  readonly sites?: CacheSites;

  /**
   * Who keeps `Cache` resources and the servers in step. In a StatefulSet with a reconciler, caches are `Cache` resources, which need
   * the operator's CustomResourceDefinitions, and nothing that is added to the cluster rolls the servers.
   *
   * @default ConfigReconciling.none()
   */
  readonly configReconciler?: ConfigReconciling;

  /**
   * Service account of the pods. No token is mounted in a StatefulSet.
   *
   * @default - the operator's; in a StatefulSet the namespace's default
   */
  readonly serviceAccountName?: string;

  /**
   * Who may reach the servers. Only in a StatefulSet.
   *
   * @default - clients from everywhere, administrators from nowhere; only servers reach the ports between servers
   */
  readonly networkPolicy?: CacheNetworkPolicy;

  /**
   * How many servers an eviction may take away at a time. Only in a StatefulSet.
   *
   * @default - 1: of two owners one stays
   */
  readonly disruptionBudget?: DisruptionBudget;

  /**
   * User id of the servers, whose group is 0. Only in a StatefulSet.
   *
   * @default 65532
   */
  readonly runAsUser?: number;

  /**
   * Domain of the Kubernetes cluster, appended to addresses that clients get.
   *
   * @default - none; pods find `<name>.<namespace>.svc` by their search path
   */
  readonly clusterDomain?: string;

  /**
   * Path of the last release's manifest, relative to the working directory. What would not survive the change is refused: with
   * the operator, changes of what is immutable; in a StatefulSet, changed and removed caches.
   *
   * @default - nothing to compare with
   */
  readonly previousManifest?: string;

  /**
   * Names of caches whose change or removal against `previousManifest` is wanted. Only in a StatefulSet.
   *
   * @default - none
   */
  readonly acceptCacheChanges?: string[];

  /**
   * Refusals that are to be passed over.
   *
   * @default - none
   */
  readonly acknowledge?: CacheAcknowledgement[];

  /**
   * A partial pod template (`metadata`, `spec`), merged over that of the StatefulSet: objects are merged, containers, volumes and
   * variables are matched by name, other lists are replaced, `null` or `{ $patch: 'delete' }` removes. Only in a StatefulSet.
   *
   * @default - none
   */
  readonly podOverrides?: any;

  /**
   * Partial objects, each with `kind` and `metadata.name`, merged (RFC 7386: lists are replaced, `null` or
   * `{ $patch: 'delete' }` removes) over the object of that kind and name. One that fits no object of the cluster is an error.
   *
   * @default - none
   */
  readonly objectOverrides?: any[];
}
