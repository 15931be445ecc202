import { Refusal } from './refusal';
import { PolicyAgentProps } from '../policy-agent-props';
import { RoleGroup } from '../role-group';

/** Props that concern pods, a Service or a rollout of the agent's own. */
const OF_AN_AGENT_WITH_PODS = [
  'internalTrafficPolicy', 'trafficDistribution', 'headlessService', 'ipFamily', 'clusterDomain', 'rollout', 'spreadWeight', 'topologySpread',
  'priorityClassName', 'networkPolicy', 'shutdownWait', 'terminationGracePeriod', 'serviceAccountName', 'podAnnotations',
] as const satisfies readonly (keyof PolicyAgentProps)[];

const OF_A_WORKLOAD = ['replicas', 'nodes', 'tolerations', 'autoscaling'] as const satisfies readonly (keyof RoleGroup)[];

/** What `podOverrides` may hold where the pod is the client's. */
const OF_CONTAINERS = ['containers', 'initContainers', 'volumes'];

/** What an agent in the pods of its clients has not, or could not keep. */
export const SIDECAR_REFUSALS: Refusal[] = [
  function migrationOfSidecar({ traits, previous, props, mode }) {
    if (!props.migrateFrom || (traits.workload && previous!.traits.workload)) return undefined;
    return `migrateFrom ${props.migrateFrom} with deploymentMode ${mode}: a sidecar comes and goes with the rollout of its clients, which loses no request; leave it out`;
  },

  function addressOfSidecar({ traits, service, hostPorts, mode }) {
    if (traits.workload || (!service && !hostPorts)) return undefined;
    return `access by ${service ? 'Service' : 'hostPort'} with deploymentMode ${mode}: clients have the agent in their own pods; leave access out (loopback) or use AgentAccess.unixSocket()`;
  },

  function tlsOfSidecar({ traits, tls, mode }) {
    if (traits.workload || !tls) return undefined;
    return `tls with deploymentMode ${mode}: nothing leaves the pod, and no certificate holds its loopback address; leave it out`;
  },

  function podsOfSidecar({ traits, props, mode }) {
    if (traits.workload) return undefined;
    const given = [
      ...OF_AN_AGENT_WITH_PODS.filter((key) => props[key] !== undefined && props[key] !== false),
      ...(props.disruptionBudget?._spec ? ['disruptionBudget'] : []),
      ...(props.metrics?._podMonitor ? ['metrics (a PodMonitor)'] : []),
    ];
    return given.length > 0 ? `${given.join(' and ')} with deploymentMode ${mode}: the agent has no pods or Service of its own; leave them out` : undefined;
  },

  function roleGroupsOfSidecar({ traits, roleGroups, props, mode }) {
    if (traits.workload) return undefined;
    if (roleGroups.length > 1) return `role groups ${roleGroups.map(({ name }) => name).join(', ')} with deploymentMode ${mode}: one must do, for its resources and podOverrides`;
    const given = OF_A_WORKLOAD.filter((key) => Object.values(props.roleGroups ?? {}).some((group) => group[key] !== undefined));
    return given.length > 0 ? `${given.join(' and ')} of a role group with deploymentMode ${mode}: the pods are those of the clients; leave them out` : undefined;
  },

  function podOverridesOfSidecar({ traits, roleGroups: [{ podOverrides }], mode }) {
    if (traits.workload) return undefined;
    const odd = podOverrides.flatMap(({ metadata, spec }) => [
      ...(metadata === undefined ? [] : ['metadata']), ...Object.keys(spec ?? {}).filter((key) => !OF_CONTAINERS.includes(key)).map((key) => `spec.${key}`),
    ]);
    return odd.length > 0 ? `podOverrides ${odd.join(' and ')} with deploymentMode ${mode}: the pods are those of the clients; only spec.${OF_CONTAINERS.join(', spec.')} are the agent's` : undefined;
  },
];
