import type { Affinity, Container, ContainerPort, EnvVar, PodSpec, PodTemplateSpec, Volume } from 'kubernetes-types/core/v1';
import { listeningPorts } from './ports';
import { terminationGracePeriod } from './shutdown';
import { ROLE_GROUP_LABEL, WORKLOAD_KIND_LABEL } from '../../private/labels';
import { Json, mergePodTemplate } from '../../private/merge';
import { parseQuantity } from '../../private/quantity';
import { PolicyEngineBinding } from '../engine';
import { AgentResources } from '../role-group';
import { AgentSettings, CLIENT_CA_DIRECTORY, RoleGroupSettings, SocketSettings, TLS_DIRECTORY } from '../settings';

/** How much of the memory limit Go may use before it collects garbage at all costs. */
const GO_MEMORY_SHARE = 0.85;

/** Labels that identify the pods of one role group, and of one kind of workload. */
export function groupLabels(settings: AgentSettings, group: RoleGroupSettings): Record<string, string> {
  return {
    ...settings.selectorLabels,
    [ROLE_GROUP_LABEL]: group.name,
    [WORKLOAD_KIND_LABEL]: settings.mode,
  };
}

/** The pods of a role group. */
export function podTemplate(
  settings: AgentSettings, binding: PolicyEngineBinding, group: RoleGroupSettings, annotations: Record<string, string>,
): PodTemplateSpec {
  const user = settings.user ?? binding.user;
  const template: PodTemplateSpec = {
    metadata: {
      labels: { ...settings.props.labels, ...groupLabels(settings, group) },
      annotations,
    },
    spec: {
      ...scheduling(settings, group),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      serviceAccountName: settings.props.serviceAccountName,
      priorityClassName: settings.props.priorityClassName,
      imagePullSecrets: settings.props.imagePullSecrets?.map((name) => ({ name })),
      securityContext: {
        runAsUser: user,
        runAsGroup: settings.socket?.group ?? user,
        runAsNonRoot: user !== 0,
        fsGroup: settings.socket?.group ?? user,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      terminationGracePeriodSeconds: terminationGracePeriod(settings, binding),
      initContainers: initContainers(settings, binding, user),
      containers: [server(settings, binding, group), ...binding.containers.slice(1).map((container) => harden(settings, container))],
      volumes: [...(binding.volumes ?? []), ...agentVolumes(settings)],
    },
  };
  return withRuntimeLimits(group.podOverrides.reduce(mergePodTemplate, template), binding, group.name);
}

function server(settings: AgentSettings, binding: PolicyEngineBinding, group: RoleGroupSettings): Container {
  const [engine] = binding.containers;
  const resources = { ...binding.resources, ...definedOnly(group.resources) };
  return harden(settings, {
    ...engine,
    ...(binding.ports.length > 0 && { ports: containerPorts(settings, binding) }),
    resources: wireResources(resources, group.name),
    startupProbe: binding.startupProbe,
    livenessProbe: binding.livenessProbe,
    readinessProbe: binding.readinessProbe,
    ...(binding.preStop && { lifecycle: { preStop: binding.preStop } }),
    volumeMounts: [...(engine.volumeMounts ?? []), ...agentMounts(settings)],
  });
}

/** What every container gets unless its engine says otherwise. */
export function harden(settings: AgentSettings, container: Json): Container {
  return {
    imagePullPolicy: settings.imagePullPolicy,
    ...container,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      ...container.securityContext,
    },
  } as unknown as Container;
}

function containerPorts(settings: AgentSettings, binding: PolicyEngineBinding): ContainerPort[] {
  return listeningPorts(binding).map(({ name, port, api = true }) => ({
    name,
    containerPort: port,
    protocol: 'TCP',
    ...(settings.hostPorts && api && { hostPort: settings.hostPorts[name] ?? port }),
  }));
}

function agentVolumes({ tls, socket }: AgentSettings): NonNullable<PodSpec['volumes']> {
  return [
    // The whole Secret as a directory: a certificate that is mounted as a single file never changes.
    ...(tls ? [{ name: 'tls', secret: { secretName: tls.secretName, defaultMode: 0o440, optional: false } }] : []),
    ...(tls?.clientCaSecret ? [{
      name: 'client-ca',
      secret: { secretName: tls.clientCaSecret, defaultMode: 0o440, optional: false, items: [{ key: 'ca.crt', path: 'ca.crt' }] },
    }] : []),
    ...(socket ? [{ name: 'socket', ...socketVolume(socket) }] : []),
  ];
}

function socketVolume({ directory, hostDirectory }: SocketSettings): Pick<Volume, 'hostPath' | 'emptyDir'> {
  return directory._hostPathType ? { hostPath: { path: hostDirectory, type: directory._hostPathType } } : { emptyDir: {} };
}

function agentMounts({ tls, socket }: AgentSettings): NonNullable<Container['volumeMounts']> {
  return [
    ...(tls ? [{ name: 'tls', mountPath: TLS_DIRECTORY, readOnly: true }] : []),
    ...(tls?.clientCaSecret ? [{ name: 'client-ca', mountPath: CLIENT_CA_DIRECTORY, readOnly: true }] : []),
    ...(socket ? [{ name: 'socket', mountPath: socket.hostDirectory }] : []),
  ];
}

function initContainers(settings: AgentSettings, binding: PolicyEngineBinding, user: number): Container[] | undefined {
  const { socket } = settings;
  const containers = (binding.initContainers ?? []).map((container) => harden(settings, container));
  if (socket?.directory._chownImage) {
    containers.unshift(harden(settings, {
      name: 'socket-directory',
      image: socket.directory._chownImage,
      command: ['/bin/chown', `${user}:${socket.group ?? user}`, socket.hostDirectory],
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
      volumeMounts: [{ name: 'socket', mountPath: socket.hostDirectory }],
      securityContext: { runAsUser: 0, runAsNonRoot: false, capabilities: { drop: ['ALL'], add: ['CHOWN'] } },
    }));
  }
  return containers.length > 0 ? containers : undefined;
}

function scheduling(settings: AgentSettings, group: RoleGroupSettings): PodSpec {
  const { scaled } = settings.traits;
  const affinity: Affinity = {
    ...(group.nodeRequirements.length > 0 && {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: group.nodeRequirements }] },
      },
    }),
    ...(scaled && {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: settings.props.spreadWeight ?? scaled.spreadWeight,
          podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: settings.selectorLabels } },
        }],
      },
    }),
  };
  return {
    containers: [],
    ...(Object.keys(affinity).length > 0 && { affinity }),
    ...(group.tolerations.length > 0 && { tolerations: group.tolerations }),
    ...(scaled && settings.props.topologySpread && {
      topologySpreadConstraints: settings.props.topologySpread.map(({ topologyKey, maxSkew = 1, whenUnsatisfiable = 'ScheduleAnyway' }) => ({
        topologyKey,
        maxSkew,
        whenUnsatisfiable,
        labelSelector: { matchLabels: settings.selectorLabels },
        // Otherwise old pods count while new ones are placed, and a rollout ends unevenly.
        matchLabelKeys: ['pod-template-hash'],
      })),
    }),
  };
}

function definedOnly(resources: AgentResources): AgentResources {
  return Object.fromEntries(Object.entries(resources).filter(([, quantity]) => quantity !== undefined));
}

function wireResources({ cpuRequest, cpuLimit, memoryRequest, memoryLimit }: AgentResources, group: string) {
  checkOrder('CPU', group, cpuRequest, cpuLimit);
  checkOrder('memory', group, memoryRequest, memoryLimit);
  return {
    requests: { ...(cpuRequest && { cpu: cpuRequest }), ...(memoryRequest && { memory: memoryRequest }) },
    limits: { ...(cpuLimit && { cpu: cpuLimit }), ...(memoryLimit && { memory: memoryLimit }) },
  };
}

function checkOrder(what: string, group: string, request?: string, limit?: string) {
  const wanted = request !== undefined ? parseQuantity(request, `${what} request of role group ${group}`) : 0;
  const most = limit !== undefined ? parseQuantity(limit, `${what} limit of role group ${group}`) : Infinity;
  if (wanted > most) throw new Error(`${what} request of role group ${group} must not be above its limit, given ${request} and ${limit}`);
}

/**
 * Tells Go's runtime the limits that the container has in the end, overrides included: of a memory limit Go knows nothing,
 * and a limit of one core or less it takes for two.
 */
function withRuntimeLimits(template: PodTemplateSpec, { goLimits }: PolicyEngineBinding, group: string): PodTemplateSpec {
  if (!goLimits) return template;
  const [first, ...others] = template.spec!.containers;
  const { cpu, memory } = (first.resources?.limits ?? {}) as Record<string, string>;
  const bytes = memory && parseQuantity(memory, `memory limit of role group ${group}`) * GO_MEMORY_SHARE;
  const variables: EnvVar[] = [
    ...(bytes ? [{ name: 'GOMEMLIMIT', value: String(Math.floor(bytes)) }] : []),
    ...(cpu ? [{ name: 'GOMAXPROCS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } }] : []),
  ];
  const missing = variables.filter(({ name }) => !first.env?.some((variable) => variable.name === name));
  return { ...template, spec: { ...template.spec, containers: [{ ...first, env: [...(first.env ?? []), ...missing] }, ...others] } };
}
