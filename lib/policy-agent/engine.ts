import { Acknowledgement } from './acknowledgement';
import { ClientCertificates } from './agent-tls';
import { DeploymentMode } from './deployment-mode';
import { KubernetesVersion } from './kubernetes-version';
import type { AgentResources } from './role-group';

/** What an engine is told about the agent that it is to run in. */
export interface PolicyEngineContext {
  /** Name of the agent. ConfigMaps of the engine are called `<instanceName>-<suffix>`. */
  readonly instanceName: string;

  /**
   * Namespace of the agent.
   *
   * @default - not known at synth
   */
  readonly namespace?: string;

  /** Workload that runs the engine. */
  readonly deploymentMode: DeploymentMode;

  /** Whether more than one pod runs at a time. */
  readonly severalInstances: boolean;

  /** Oldest Kubernetes version that the manifests must work on. */
  readonly kubernetesVersion: KubernetesVersion;

  /** Whether clients come over the network. If not, the engine must answer on its socket or by loopback only. */
  readonly listensOnNetwork: boolean;

  /**
   * Whether clients come by loopback, since the engine runs in their pods: it must answer on 127.0.0.1 only. Probes of the
   * kubelet do not reach it there: they run a command, or use a port that is not for clients.
   */
  readonly listensOnLoopback: boolean;

  /**
   * Host name of the agent's Service, for the discovery ConfigMap.
   *
   * @default - there is no Service
   */
  readonly serviceHost?: string;

  /**
   * Directory in which to bind a Unix socket. It is mounted into the first container.
   *
   * @default - no socket is wanted
   */
  readonly socketDirectory?: string;

  /**
   * Mode of the socket, four octal digits.
   *
   * @default - no socket is wanted
   */
  readonly socketMode?: string;

  /**
   * Directory with `tls.crt` and `tls.key`. It is mounted into the first container, and follows the Secret.
   *
   * @default - no TLS
   */
  readonly tlsDirectory?: string;

  /** Whether clients must show a certificate. */
  readonly clientCertificates: ClientCertificates;

  /**
   * File with the certificates that verify clients'.
   *
   * @default - clients show no certificate
   */
  readonly clientCaFile?: string;

  /** Seconds for which the engine goes on answering after it was told to stop, until no client is sent to it. */
  readonly shutdownWaitSeconds: number;

  /** What the user acknowledged. */
  readonly acknowledged: Acknowledgement[];
}

/** A port of the first container. */
export interface PolicyEnginePort {
  /** Name, part of the contract with clients: `http` or `grpc`, say. */
  readonly name: string;

  /** Number by which clients of the Service know the port. */
  readonly port: number;

  /**
   * Number that the engine listens on, if this port is a further name of another one.
   *
   * @default - `port`
   */
  readonly containerPort?: number;

  /**
   * Application protocol, for service meshes and gateways.
   *
   * @default - none
   */
  readonly appProtocol?: string;

  /**
   * Whether clients ask here. Other ports are for health and metrics, and stand in no Service.
   *
   * @default true
   */
  readonly api?: boolean;
}

/** A ConfigMap that the engine's pod mounts. */
export interface PolicyEngineConfigMap {
  /** The ConfigMap is called `<instanceName>-<suffix>`. */
  readonly suffix: string;

  /** Contents by key. */
  readonly data: Record<string, string>;
}

/**
 * What clients need to know of an engine. In strings `{host}` stands for the host, `{<name of a port>}` for the number of a
 * port, `{socket}` for the path of the socket, `{ca}` for the path of the file that verifies the server's certificate, and
 * `{serverName}` for the name in the certificate, where it is not the host. A variable with a word that is not known for a
 * client is left out there.
 */
export interface PolicyEngineClients {
  /** Variables that tell the address over the network, by name: `OPA_URL: 'http://{host}:{http}'`, say. */
  readonly variables: Record<string, string>;

  /**
   * Variables that tell the address of the socket, by name.
   *
   * @default - none; needed by engines with a `socketFile`
   */
  readonly socketVariables?: Record<string, string>;

  /**
   * Container (`command`, `args`, `env`) of the engine's image that ends with 0 when the address answers by its policies.
   *
   * @default - clients cannot wait for the engine
   */
  readonly waitContainer?: any;

  /**
   * The same for the socket.
   *
   * @default - clients cannot wait for the socket
   */
  readonly waitSocketContainer?: any;

  /**
   * Files of both containers in `/wait`, by name. Nothing is replaced in them.
   *
   * @default - none
   */
  readonly waitFiles?: Record<string, string>;

  /**
   * Whether the containers wait by themselves. Otherwise each is one try, which the kubelet repeats.
   *
   * @default false
   */
  readonly waitsByItself?: boolean;
}

/**
 * What an engine needs, in wire form (as in a manifest). The agent adds what is not the engine's business: security
 * contexts, resources, ports, probes, and the mounts of certificates and sockets.
 */
export interface PolicyEngineBinding {
  /** Containers. The first is the engine itself. */
  readonly containers: any[];

  /**
   * Init containers.
   *
   * @default - none
   */
  readonly initContainers?: any[];

  /**
   * Volumes.
   *
   * @default - none
   */
  readonly volumes?: any[];

  /**
   * ConfigMaps to emit. Their contents are part of the checksum that rolls the pods.
   *
   * @default - none
   */
  readonly configMaps?: PolicyEngineConfigMap[];

  /**
   * Further strings whose change is to roll the pods.
   *
   * @default - none
   */
  readonly checksums?: string[];

  /**
   * Names of variables that the configuration refers to. An agent whose first container lacks one is refused.
   *
   * @default - none
   */
  readonly requiredVariables?: string[];

  /** Ports of the first container. */
  readonly ports: PolicyEnginePort[];

  /** Probe that ends when the process is up. Must not wait for policies: a slow source would restart new pods for ever. */
  readonly startupProbe: any;

  /** Probe that fails when only a restart helps. */
  readonly livenessProbe: any;

  /** Probe that passes when the engine answers by its policies. */
  readonly readinessProbe: any;

  /**
   * Hook that delays the stop by `shutdownWaitSeconds`.
   *
   * @default - the engine delays it by itself
   */
  readonly preStop?: any;

  /** Seconds that the engine may take to stop after the delay. */
  readonly shutdownGraceSeconds: number;

  /** User and group id of the containers. */
  readonly user: number;

  /**
   * Name of the socket in `socketDirectory`.
   *
   * @default - the engine has no socket; asking for one is an error
   */
  readonly socketFile?: string;

  /**
   * Keys of the discovery ConfigMap.
   *
   * @default - no discovery ConfigMap
   */
  readonly discovery?: Record<string, string>;

  /**
   * What clients need to know.
   *
   * @default - nothing is injected into clients but affinity
   */
  readonly clients?: PolicyEngineClients;

  /**
   * Name of the port that serves metrics.
   *
   * @default - no metrics
   */
  readonly metricsPort?: string;

  /**
   * Path of the metrics.
   *
   * @default '/metrics'
   */
  readonly metricsPath?: string;

  /**
   * Whether metrics are served over TLS.
   *
   * @default false
   */
  readonly metricsTls?: boolean;

  /**
   * Tell a program written in Go the limits of its container: `GOMEMLIMIT` (85 % of the memory limit) and `GOMAXPROCS` (the
   * CPU limit, rounded up). Variables that the engine sets itself stay.
   *
   * @default false
   */
  readonly goLimits?: boolean;

  /** Requests and limits of the first container, where the user gives none. */
  readonly resources: AgentResources;

  /**
   * What the user should know; printed once at synth.
   *
   * @default - none
   */
  readonly warnings?: string[];
}

/** A server that decides: OPA, Cerbos, or one of your own. */
export interface IPolicyEngine {
  /** Value of the label `app.kubernetes.io/name` on the agent's pods. */
  readonly engineName: string;

  /** Deployment mode of agents that name none. */
  readonly defaultDeploymentMode: DeploymentMode;

  /**
   * Says what the engine needs. Called once for each agent; throws when the engine cannot do what the context asks.
   */
  bind(context: PolicyEngineContext): PolicyEngineBinding;
}
