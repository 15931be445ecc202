import { posix } from 'path';
import { AccessWay, SocketAccess } from './access-way';
import { Acknowledgement } from './acknowledgement';
import { AgentAccess } from './agent-access';
import { AgentMetrics } from './agent-metrics';
import { AgentTls, ClientCertificates } from './agent-tls';
import { DeploymentMode, ModeRollout, MODES, ModeTraits } from './deployment-mode';
import { PolicyEngineBinding, PolicyEngineContext } from './engine';
import { KubernetesVersion } from './kubernetes-version';
import { AgentImagePullPolicy, PolicyAgentProps } from './policy-agent-props';
import { AgentAutoscaling, AgentResources, RoleGroup } from './role-group';
import { COMPONENT_LABEL, INSTANCE_LABEL, MANAGED_BY_LABEL, NAME_LABEL } from '../private/labels';
import { Json } from '../private/merge';
import { checkDnsLabel, dnsLabelOf } from '../private/names';

/** A role group with every default filled in. */
export interface RoleGroupSettings {
  readonly name: string;
  readonly workloadName: string;
  /** Undefined where the mode has one pod on each node, or an autoscaler chooses. */
  readonly replicas?: number;
  /** The fewest pods that there will be; undefined where the mode has one on each node. */
  readonly minReplicas?: number;
  readonly autoscaling?: Required<AgentAutoscaling>;
  readonly nodeRequirements: Json[];
  readonly tolerations: Json[];
  readonly resources: AgentResources;
  readonly podOverrides: any[];
}

/** TLS with every default filled in. */
export interface TlsSettings {
  readonly secretName: string;
  readonly clientCaSecret?: string;
  readonly clientCertificates: ClientCertificates;
  readonly serverName?: string;
  readonly source: AgentTls;
}

/** A node socket with every default filled in. */
export interface SocketSettings extends SocketAccess {
  readonly hostDirectory: string;
}

/** What the props come to: every default filled in, nothing checked across props yet. */
export interface AgentSettings {
  readonly props: PolicyAgentProps;
  readonly engineName: string;
  readonly instanceName: string;
  /** Of the agent; undefined when not known at synth. */
  readonly namespace?: string;
  readonly mode: DeploymentMode;
  readonly traits: ModeTraits;
  readonly kubernetesVersion: KubernetesVersion;
  readonly roleGroups: RoleGroupSettings[];
  readonly service: boolean;
  readonly hostPorts?: Record<string, number>;
  readonly socket?: SocketSettings;
  readonly tls?: TlsSettings;
  readonly internalTrafficPolicy?: string;
  readonly rollout: ModeRollout;
  /** Fewest pods of all role groups together; undefined where the mode has one on each node. */
  readonly minPods?: number;
  readonly metrics: AgentMetrics;
  readonly shutdownWaitSeconds: number;
  readonly user?: number;
  readonly imagePullPolicy: AgentImagePullPolicy;
  readonly serviceHost?: string;
  readonly selectorLabels: Record<string, string>;
  readonly objectLabels: Record<string, string>;
  readonly acknowledged: Acknowledgement[];
}

export const TLS_DIRECTORY = '/tls';
export const CLIENT_CA_DIRECTORY = '/client-ca';

/** Fills in the defaults. */
export function settingsOf(id: string, chartNamespace: string | undefined, props: PolicyAgentProps): AgentSettings {
  const { engine } = props;
  const instanceName = checkDnsLabel(props.instanceName ?? dnsLabelOf(id), 'instanceName (by default the id of the construct)');
  const namespace = props.namespace ?? chartNamespace;
  const mode = props.deploymentMode ?? engine.defaultDeploymentMode;
  const traits = MODES[mode];
  const ways = (props.access ?? [AgentAccess.service()]).map(({ _way }) => _way);
  if (ways.length === 0) throw new Error('access must name at least one way, given none');
  const service = oneOf(ways, 'service') ?? false;
  const hostPorts = oneOf(ways, 'hostPorts');
  const socketAccess = oneOf(ways, 'socket');
  const socket = socketAccess && { ...socketAccess, hostDirectory: socketDirectory(socketAccess, engine.engineName, namespace, instanceName) };
  const roleGroups = Object.entries(props.roleGroups ?? { default: {} })
    .map(([name, group]) => roleGroupOf(name, group, instanceName, traits, props));
  if (roleGroups.length === 0) throw new Error('roleGroups must hold at least one role group, given none');

  const selectorLabels = { [NAME_LABEL]: engine.engineName, [INSTANCE_LABEL]: instanceName, [COMPONENT_LABEL]: 'server' };
  const clash = Object.keys(props.labels ?? {}).find((label) => label in selectorLabels);
  if (clash) throw new Error(`labels must not contain ${clash}: it identifies the agent's pods`);

  return {
    props,
    engineName: engine.engineName,
    instanceName,
    namespace,
    mode,
    traits,
    kubernetesVersion: props.kubernetesVersion ?? KubernetesVersion.V1_34,
    roleGroups,
    service,
    hostPorts,
    socket,
    tls: props.tls && tlsOf(props.tls, instanceName),
    internalTrafficPolicy: props.internalTrafficPolicy ?? traits.perNode?.internalTrafficPolicy,
    rollout: rolloutOf(props, traits, hostPorts !== undefined || socket !== undefined),
    minPods: traits.scaled && roleGroups.reduce((sum, group) => sum + group.minReplicas!, 0),
    metrics: props.metrics ?? AgentMetrics.annotations(),
    shutdownWaitSeconds: props.shutdownWait?.toSeconds() ?? 5,
    user: props.runAsUser ?? (socket?.directory._agentIsRoot ? 0 : undefined),
    imagePullPolicy: props.imagePullPolicy ?? AgentImagePullPolicy.IF_NOT_PRESENT,
    serviceHost: service ? serviceHost(instanceName, namespace, props.clusterDomain) : undefined,
    selectorLabels,
    objectLabels: { ...selectorLabels, [MANAGED_BY_LABEL]: 'cdk8s', ...props.labels },
    acknowledged: props.acknowledge ?? [],
  };
}

/** Name by which clients find a Service; without a domain it is completed by the pods' search path. */
export function serviceHost(name: string, namespace?: string, clusterDomain?: string): string {
  if (!namespace) return name;
  return clusterDomain ? `${name}.${namespace}.svc.${clusterDomain}` : `${name}.${namespace}.svc`;
}

/** What the engine is told. */
export function contextOf(settings: AgentSettings): PolicyEngineContext {
  const { socket, tls } = settings;
  return {
    instanceName: settings.instanceName,
    namespace: settings.namespace,
    deploymentMode: settings.mode,
    severalInstances: settings.minPods === undefined || settings.minPods > 1,
    kubernetesVersion: settings.kubernetesVersion,
    listensOnNetwork: settings.service || settings.hostPorts !== undefined,
    serviceHost: settings.serviceHost,
    socketDirectory: socket?.hostDirectory,
    socketMode: socket?.mode,
    tlsDirectory: tls && TLS_DIRECTORY,
    clientCertificates: tls?.clientCertificates ?? ClientCertificates.NONE,
    clientCaFile: tls && tls.clientCertificates !== ClientCertificates.NONE
      ? `${tls.clientCaSecret ? CLIENT_CA_DIRECTORY : TLS_DIRECTORY}/ca.crt`
      : undefined,
    shutdownWaitSeconds: settings.shutdownWaitSeconds,
    acknowledged: settings.acknowledged,
  };
}

/** Seconds after which a pod that does not stop is killed. */
export function terminationGracePeriod(settings: AgentSettings, binding: PolicyEngineBinding): number {
  return settings.props.terminationGracePeriod?.toSeconds() ?? settings.shutdownWaitSeconds + binding.shutdownGraceSeconds + 5;
}

function oneOf<K extends keyof AccessWay>(ways: AccessWay[], key: K): AccessWay[K] {
  const found = ways.filter((way) => way[key] !== undefined);
  if (found.length > 1) throw new Error(`access must name each way once, given ${key} ${found.length} times`);
  return found[0]?.[key];
}

function roleGroupOf(name: string, group: RoleGroup, instanceName: string, { scaled }: ModeTraits, props: PolicyAgentProps): RoleGroupSettings {
  checkDnsLabel(name, 'name of a role group');
  const replicas = group.replicas ?? scaled?.replicas;
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0)) {
    throw new Error(`replicas of role group ${name} must be a whole number of at least 0, given ${replicas}`);
  }
  const autoscaling = group.autoscaling && { minReplicas: 2, targetCpuPercent: 80, ...group.autoscaling };
  return {
    name,
    workloadName: checkDnsLabel(`${instanceName}-${name}`, `name of the workload of role group ${name}`),
    replicas: scaled && !autoscaling ? replicas : undefined,
    minReplicas: scaled && (autoscaling?.minReplicas ?? replicas),
    autoscaling,
    nodeRequirements: (group.nodes ?? []).map(({ key, operator, values }) => ({ key, operator, ...(values && { values: [...values] }) })),
    tolerations: (group.tolerations ?? []).map(({ key, value, effect }) => ({
      ...(key !== undefined && { key }),
      operator: value === undefined ? 'Exists' : 'Equal',
      ...(value !== undefined && { value }),
      ...(effect && { effect }),
    })),
    resources: group.resources ?? {},
    podOverrides: [props.podOverrides, group.podOverrides].filter((overrides) => overrides !== undefined),
  };
}

function socketDirectory(socket: SocketAccess, engineName: string, namespace: string | undefined, instanceName: string): string {
  if (socket.hostDirectory) return socket.hostDirectory;
  if (!namespace) {
    throw new Error('hostDirectory of the Unix socket must be given, since the namespace is not known at synth: agents of two namespaces would share one');
  }
  return posix.join('/run', engineName, namespace, instanceName);
}

function tlsOf(tls: AgentTls, instanceName: string): TlsSettings {
  return {
    secretName: tls._secretName ?? `${instanceName}-tls`,
    clientCaSecret: tls._options.clientCaSecret,
    clientCertificates: tls._options.clientCertificates ?? ClientCertificates.NONE,
    serverName: tls._options.serverName,
    source: tls,
  };
}

function rolloutOf(props: PolicyAgentProps, traits: ModeTraits, fixedEndpoint: boolean): ModeRollout {
  const derived = (fixedEndpoint && traits.perNode?.fixedEndpointRollout) || traits.rollout;
  const maxSurge = props.rollout?.maxSurge?.value;
  const maxUnavailable = props.rollout?.maxUnavailable?.value;
  if (traits.perNode && maxSurge === undefined && isSome(maxUnavailable)) return { maxSurge: 0, maxUnavailable };
  if (traits.perNode && maxUnavailable === undefined && isSome(maxSurge)) return { maxSurge, maxUnavailable: 0 };
  return { maxSurge: maxSurge ?? derived.maxSurge, maxUnavailable: maxUnavailable ?? derived.maxUnavailable };
}

/** Whether a number of pods, or a percentage of them, is above none. */
export function isSome(pods: number | string | undefined): pods is number | string {
  return pods !== undefined && parseFloat(String(pods)) > 0;
}
