import { posix } from 'path';
import type { NodeSelectorRequirement, Toleration } from 'kubernetes-types/core/v1';
import { AccessWay, SocketAccess } from './access-way';
import { Acknowledgement } from './acknowledgement';
import { AgentAccess } from './agent-access';
import { AgentMetrics } from './agent-metrics';
import { AgentTls, ClientCertificates } from './agent-tls';
import { DeploymentMode, MODES, ModeTraits } from './deployment-mode';
import { KubernetesVersion } from './kubernetes-version';
import { AgentImagePullPolicy, PolicyAgentProps } from './policy-agent-props';
import { AgentAutoscaling, AgentResources, RoleGroup } from './role-group';
import { SocketDirectory } from './socket-directory';
import { InternalTrafficPolicy } from './traffic';
import { COMPONENT_LABEL, INSTANCE_LABEL, MANAGED_BY_LABEL, NAME_LABEL } from '../private/labels';
import { checkDnsLabel, dnsLabelOf, headlessName, serviceHost } from '../private/names';
import { acceptedTaints, matchExpressions } from '../private/scheduling';

/** A role group with every default filled in. */
export interface RoleGroupSettings {
  readonly name: string;
  readonly workloadName: string;
  /** Undefined where the mode has one pod on each node, or an autoscaler chooses. */
  readonly replicas?: number;
  readonly autoscaling?: Required<AgentAutoscaling>;
  readonly nodeRequirements: NodeSelectorRequirement[];
  readonly tolerations: Toleration[];
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
  /** Clients have the agent in their own pods, and reach it there. */
  readonly loopback: boolean;
  readonly hostPorts?: Record<string, number>;
  readonly socket?: SocketSettings;
  readonly tls?: TlsSettings;
  readonly internalTrafficPolicy?: string;
  /** The agent in its old mode, while the mode is being changed. */
  readonly previous?: AgentSettings;
  /** Fewest and most pods of all role groups together; undefined where the mode has one on each node. */
  readonly minPods?: number;
  readonly maxPods?: number;
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
  const ways = (props.access ?? (traits.workload ? [AgentAccess.service()] : [])).map(({ _way }) => _way);
  if (props.access?.length === 0) throw new Error('access must name at least one way, given none');
  const service = oneOf(ways, 'service') ?? false;
  const hostPorts = oneOf(ways, 'hostPorts');
  const socketAccess = oneOf(ways, 'socket');
  const socket = socketAccess && socketOf(socketAccess, traits, engine.engineName, namespace, instanceName);
  const roleGroups = Object.entries(props.roleGroups ?? { default: {} })
    .map(([name, group]) => roleGroupOf(name, group, instanceName, traits, props));
  if (roleGroups.length === 0) throw new Error('roleGroups must hold at least one role group, given none');

  const selectorLabels = { [NAME_LABEL]: engine.engineName, [INSTANCE_LABEL]: instanceName, [COMPONENT_LABEL]: 'server' };
  const clash = Object.keys(props.labels ?? {}).find((label) => Object.hasOwn(selectorLabels, label));
  if (clash) throw new Error(`labels must not contain ${clash}: it identifies the agent's pods`);

  if (props.headlessService) checkDnsLabel(headlessName(instanceName), 'name of the headless Service');
  if (props.clusterDomain && !namespace) throw new Error('clusterDomain needs a namespace, which is not known at synth: addresses are short without one');

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
    loopback: !traits.workload && !socket,
    hostPorts,
    socket,
    tls: props.tls && tlsOf(props.tls, instanceName),
    // While the mode is being changed, not every node has a pod of the one or the other.
    internalTrafficPolicy: props.internalTrafficPolicy ?? (props.migrateFrom ? undefined : traits.perNode?.internalTrafficPolicy),
    previous: props.migrateFrom && settingsOf(id, chartNamespace, {
      ...props, deploymentMode: props.migrateFrom, migrateFrom: undefined, rollout: undefined, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER,
    }),
    minPods: traits.scaled && sum(roleGroups.map(({ replicas, autoscaling }) => autoscaling?.minReplicas ?? replicas!)),
    maxPods: traits.scaled && sum(roleGroups.map(({ replicas, autoscaling }) => autoscaling?.maxReplicas ?? replicas!)),
    metrics: props.metrics ?? AgentMetrics.annotations(),
    shutdownWaitSeconds: props.shutdownWait?.toSeconds() ?? traits.shutdownWaitSeconds,
    user: props.runAsUser ?? (socket?.directory._agentIsRoot ? 0 : undefined),
    imagePullPolicy: props.imagePullPolicy ?? AgentImagePullPolicy.IF_NOT_PRESENT,
    serviceHost: service ? serviceHost(instanceName, namespace, props.clusterDomain) : undefined,
    selectorLabels,
    objectLabels: { ...selectorLabels, [MANAGED_BY_LABEL]: 'cdk8s', ...props.labels },
    acknowledged: props.acknowledge ?? [],
  };
}

function oneOf<K extends keyof AccessWay>(ways: AccessWay[], key: K): AccessWay[K] {
  const found = ways.filter((way) => way[key] !== undefined);
  if (found.length > 1) throw new Error(`access must name each way once, given ${key} ${found.length} times`);
  return found[0]?.[key];
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function roleGroupOf(name: string, group: RoleGroup, instanceName: string, { scaled }: ModeTraits, props: PolicyAgentProps): RoleGroupSettings {
  checkDnsLabel(name, 'name of a role group');
  const replicas = group.replicas ?? scaled?.replicas;
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0)) {
    throw new Error(`replicas of role group ${name} must be a whole number of at least 0, given ${replicas}`);
  }
  const { autoscaling } = group;
  const podOverrides = [props.podOverrides, group.podOverrides].filter((overrides) => overrides !== undefined);
  const odd = podOverrides.flatMap((overrides) => Object.keys(overrides)).find((key) => key !== 'metadata' && key !== 'spec');
  if (odd) throw new Error(`podOverrides are a pod template, which has metadata and spec, given ${odd}`);
  return {
    name,
    workloadName: checkDnsLabel(`${instanceName}-${name}`, `name of the workload of role group ${name}`),
    replicas: scaled && !autoscaling ? replicas : undefined,
    autoscaling: autoscaling && {
      minReplicas: autoscaling.minReplicas ?? 2,
      maxReplicas: autoscaling.maxReplicas,
      targetCpuPercent: autoscaling.targetCpuPercent ?? 80,
    },
    nodeRequirements: matchExpressions(group.nodes ?? []),
    tolerations: acceptedTaints(group.tolerations ?? []),
    resources: group.resources ?? {},
    podOverrides,
  };
}

/** Within a pod nobody needs to make the directory, and no other agent can be in it. */
function socketOf(
  access: SocketAccess, { workload }: ModeTraits, engineName: string, namespace: string | undefined, instanceName: string,
): SocketSettings {
  if (workload) return { ...access, hostDirectory: socketDirectory(access, engineName, namespace, instanceName) };
  const hostDirectory = access.hostDirectory ?? posix.join('/run', engineName, namespace ?? '', instanceName);
  return { ...access, directory: SocketDirectory._ofPod(), hostDirectory };
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
