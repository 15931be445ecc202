import { DeploymentMode } from './deployment-mode';

/** Properties for `PolicyAgent.fromDiscovery`. */
export interface DiscoveredAgentProps {
  /** Name of the agent, and of its discovery ConfigMap. */
  readonly instanceName: string;

  /**
   * Namespace of the agent.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /** Labels that the agent's pods really have, and no others. */
  readonly podLabels: Record<string, string>;

  /**
   * Name of the agent's Service.
   *
   * @default - `instanceName`
   */
  readonly serviceName?: string;

  /**
   * Workload that runs the agent. For a DaemonSet its pods are taken to stand on every node without taints.
   *
   * @default - not known
   */
  readonly deploymentMode?: DeploymentMode;

  /**
   * Whether the Service has `internalTrafficPolicy: Local`, so that clients on nodes without an agent get no answer.
   *
   * @default false
   */
  readonly nodeLocal?: boolean;

  /**
   * Variables of clients, by name. `{ca}` stands for the path of the file with the certificates that verify the agent's.
   *
   * @default - clients are told no address
   */
  readonly variables?: Record<string, string>;

  /**
   * Contents of the discovery ConfigMap, for copies in the namespaces of clients.
   *
   * @default - there is no discovery ConfigMap
   */
  readonly discovery?: Record<string, string>;
}

/** Properties for `PolicyAgent.fromStackableOpa`. */
export interface StackableOpaProps {
  /** Name of the OpaCluster. */
  readonly name: string;

  /**
   * Namespace of the OpaCluster.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * SecretClass of the server's certificate (`spec.clusterConfig.tls.serverSecretClass`).
   *
   * @default - plain text
   */
  readonly serverSecretClass?: string;
}

/** Properties for `PolicyAgent.fromCerbosChart`. */
export interface CerbosChartProps {
  /** Name of the Helm release. */
  readonly releaseName: string;

  /**
   * Namespace of the release.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * The chart's value `fullnameOverride`.
   *
   * @default - the release's name, with `-cerbos` unless it contains `cerbos`
   */
  readonly fullName?: string;

  /**
   * The chart's value `type`.
   *
   * @default DeploymentMode.DEPLOYMENT
   */
  readonly deploymentMode?: DeploymentMode;

  /**
   * Whether the chart has a certificate (`cerbos.tlsSecretName` or `certManager.certSpec`).
   *
   * @default false
   */
  readonly tls?: boolean;
}

/** Properties for `PolicyAgent.fromKubeMgmtChart`. */
export interface KubeMgmtChartProps {
  /** Name of the Helm release. */
  readonly releaseName: string;

  /**
   * Namespace of the release.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;

  /**
   * The chart's value `fullnameOverride`.
   *
   * @default - the release's name, with `-opa-kube-mgmt` unless it contains `opa-kube-mgmt`
   */
  readonly fullName?: string;

  /**
   * The chart's value `useHttps`.
   *
   * @default true
   */
  readonly useHttps?: boolean;

  /**
   * The chart's value `port`.
   *
   * @default 8181
   */
  readonly port?: number;
}
