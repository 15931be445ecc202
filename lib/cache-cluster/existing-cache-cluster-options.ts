import { CacheDeploymentMode } from './cache-deployment-mode';

/** What is known of a cluster that was made elsewhere. */
export interface ExistingCacheClusterOptions {
  /**
   * Namespace of the cluster.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * What runs the servers.
   *
   * @default CacheDeploymentMode.OPERATOR
   */
  readonly deploymentMode?: CacheDeploymentMode;

  /**
   * Version of the server.
   *
   * @default - the newest
   */
  readonly version?: string;

  /**
   * Version of the operator.
   *
   * @default - the newest
   */
  readonly operatorVersion?: string;

  /**
   * Labels that select the servers' pods, such as those of a Helm chart.
   *
   * @default - those of the mode
   */
  readonly podLabels?: Record<string, string>;

  /**
   * Whether clients must say who they are.
   *
   * @default true
   */
  readonly endpointAuthentication?: boolean;

  /**
   * Secret with keys `username` and `password`, from which bound clients get theirs.
   *
   * @default - none: clients cannot be bound while authentication is on
   */
  readonly clientCredentialsSecret?: string;

  /**
   * Secret whose key `ca.crt` verifies the servers' certificates.
   *
   * @default - plain text
   */
  readonly caSecret?: string;

  /**
   * Domain of the Kubernetes cluster, appended to addresses that clients get.
   *
   * @default - none
   */
  readonly clusterDomain?: string;

  /**
   * Whether a `ConfigReconciler` of another app applies what is added to the cluster. For one of this app there is
   * `ConfigReconciler.addCluster`.
   *
   * @default false
   */
  readonly reconciledElsewhere?: boolean;

  /**
   * Path of the last release's manifest, relative to the working directory: changes of what is immutable are refused.
   *
   * @default - nothing to compare with
   */
  readonly previousManifest?: string;
}
