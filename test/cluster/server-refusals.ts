/** What the library refuses because the API server would: the same by a patch, and what the server says of it. */
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import {
  AgentAccess, AgentAutoscaling, AgentResources, DeploymentMode, IPolicyEngine, NodeRequirement, PolicyAgentProps, PolicyEngineBinding, PolicyFiles,
} from '../../lib';
import { cerbos, find, opa, podTemplate } from '../support/synth';

type Props = Partial<PolicyAgentProps>;

export interface ServerRefusal {
  readonly what: string;
  /** What the library refuses, and in which words. */
  readonly refused: () => Props;
  readonly words: RegExp;
  /** What it allows, and the patch that makes the same of it. */
  readonly allowed?: Props;
  readonly patch: (objects: any[]) => void;
  /** Words of the API server. */
  readonly error: RegExp;
}

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const pods = (number: number) => PercentOrAbsolute.absolute(number);
const rego = (size: number) => PolicyFiles.inline({ 'authz.rego': `package authz\n# ${'x'.repeat(size)}\n` });

const workload = (objects: any[]) => objects.find(({ kind }) => ['DaemonSet', 'Deployment'].includes(kind));
const pod = (objects: any[]) => podTemplate(objects).spec;
const container = (objects: any[]) => pod(objects).containers[0];
const autoscaler = (objects: any[]) => find(objects, 'HorizontalPodAutoscaler').spec;
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => (objects: any[]) => {
  const { spec } = workload(objects);
  (spec.updateStrategy ?? spec.strategy).rollingUpdate = { maxSurge, maxUnavailable };
};

const resources = (given: AgentResources) => () => ({ roleGroups: { default: { resources: given } } });
const autoscaling = (given: Partial<AgentAutoscaling>) => (
  { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5, ...given } } } }
);

/** An engine of the user's own that returns something odd. */
function engine(change: Partial<PolicyEngineBinding>): () => Props {
  const odd: IPolicyEngine = { engineName: 'odd', defaultDeploymentMode: DAEMON_SET, bind: (context) => ({ ...opa().bind(context), ...change }) };
  return () => ({ engine: odd });
}

export const SERVER_REFUSALS: ServerRefusal[] = [
  {
    what: 'a DaemonSet with both of maxSurge and maxUnavailable',
    refused: () => ({ rollout: { maxSurge: pods(1), maxUnavailable: pods(1) } }),
    words: /allows exactly one of them to be above 0/,
    patch: rolling(1, 1),
    error: /rollingUpdate\.maxSurge: Invalid value: .*may not be set when maxUnavailable is non-zero/,
  },
  {
    what: 'a DaemonSet with neither',
    refused: () => ({ rollout: { maxSurge: pods(0), maxUnavailable: pods(0) } }),
    words: /allows exactly one of them to be above 0/,
    patch: rolling(0, 0),
    error: /rollingUpdate\.maxUnavailable: Required value: cannot be 0 when maxSurge is 0/,
  },
  {
    what: 'a Deployment with neither',
    refused: () => ({ deploymentMode: DEPLOYMENT, rollout: { maxSurge: pods(0), maxUnavailable: pods(0) } }),
    words: /one of them must be above 0/,
    allowed: { deploymentMode: DEPLOYMENT },
    patch: rolling(0, 0),
    error: /rollingUpdate\.maxUnavailable: Invalid value: .*may not be 0 when `maxSurge` is 0/,
  },
  {
    what: 'a DaemonSet that surges by more than everything',
    refused: () => ({ rollout: { maxSurge: PercentOrAbsolute.percent(150) } }),
    words: /rollout\.maxSurge must be at most 100%, given 150%/,
    patch: rolling('150%', 0),
    error: /rollingUpdate\.maxSurge: Invalid value: .*must not be greater than 100%/,
  },
  {
    what: 'a Deployment that may miss more than everything',
    refused: () => ({ deploymentMode: DEPLOYMENT, rollout: { maxUnavailable: PercentOrAbsolute.percent(150) } }),
    words: /rollout\.maxUnavailable must be at most 100%, given 150%/,
    allowed: { deploymentMode: DEPLOYMENT },
    patch: rolling(1, '150%'),
    error: /rollingUpdate\.maxUnavailable: Invalid value: .*must not be greater than 100%/,
  },
  ...[0, 101].map((weight) => ({
    what: `a weight of ${weight}`,
    refused: () => ({ deploymentMode: DEPLOYMENT, spreadWeight: weight }),
    words: /spreadWeight must be a whole number from 1 to 100/,
    allowed: { deploymentMode: DEPLOYMENT },
    patch: (objects: any[]) => pod(objects).affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight = weight,
    error: /\.weight: Invalid value: \d+: must be in the range 1-100/,
  })),
  {
    what: 'a skew of 0',
    refused: () => ({ deploymentMode: DEPLOYMENT, topologySpread: [{ topologyKey: 'zone', maxSkew: 0 }] }),
    words: /maxSkew of topologySpread zone must be a whole number of at least 1/,
    allowed: { deploymentMode: DEPLOYMENT, topologySpread: [{ topologyKey: 'zone' }] },
    patch: (objects) => pod(objects).topologySpreadConstraints[0].maxSkew = 0,
    error: /topologySpreadConstraints\[0\]\.maxSkew: Invalid value: 0: must be greater than zero/,
  },
  {
    what: 'a memory request above its limit',
    refused: resources({ memoryRequest: '1Gi' }),
    words: /memory request of role group default must not be above its limit/,
    patch: (objects) => container(objects).resources.requests.memory = '1Gi',
    error: /resources\.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 512Mi/,
  },
  {
    what: 'a CPU request above its limit',
    refused: resources({ cpuRequest: '2', cpuLimit: '1' }),
    words: /CPU request of role group default must not be above its limit/,
    patch: (objects) => container(objects).resources = { requests: { cpu: '2' }, limits: { cpu: '1' } },
    error: /resources\.requests: Invalid value: "2": must be less than or equal to cpu limit of 1/,
  },
  {
    what: 'a quantity that is none',
    refused: resources({ cpuRequest: '100 m' }),
    words: /CPU request of role group default must be a Kubernetes quantity/,
    patch: (objects) => container(objects).resources.requests.cpu = '100 m',
    error: /quantities must match the regular expression/,
  },
  {
    what: 'a fraction of a replica',
    refused: () => ({ deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 1.5 } } }),
    words: /replicas of role group default must be a whole number/,
    allowed: { deploymentMode: DEPLOYMENT },
    patch: (objects) => workload(objects).spec.replicas = 1.5,
    error: /Kind=Deployment: cannot convert float64 to int32/,
  },
  {
    what: 'fewer replicas than none',
    refused: () => ({ deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: -1 } } }),
    words: /replicas of role group default must be a whole number of at least 0/,
    allowed: { deploymentMode: DEPLOYMENT },
    patch: (objects) => workload(objects).spec.replicas = -1,
    error: /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
  },
  {
    what: 'an autoscaler whose bounds cross',
    refused: () => autoscaling({ minReplicas: 3, maxReplicas: 2 }),
    words: /needs whole numbers 1 <= minReplicas <= maxReplicas/,
    allowed: autoscaling({}),
    patch: (objects) => Object.assign(autoscaler(objects), { minReplicas: 3, maxReplicas: 2 }),
    error: /spec\.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`/,
  },
  {
    what: 'an autoscaler that may scale to none',
    refused: () => autoscaling({ minReplicas: 0 }),
    words: /needs whole numbers 1 <= minReplicas <= maxReplicas/,
    allowed: autoscaling({}),
    patch: (objects) => autoscaler(objects).minReplicas = 0,
    error: /spec\.minReplicas: Invalid value: 0: must be greater than or equal to 1/,
  },
  {
    what: 'an autoscaler that counts in fractions',
    refused: () => autoscaling({ maxReplicas: 5.5 }),
    words: /needs whole numbers 1 <= minReplicas <= maxReplicas/,
    allowed: autoscaling({}),
    patch: (objects) => autoscaler(objects).maxReplicas = 5.5,
    error: /Kind=HorizontalPodAutoscaler: cannot convert float64 to int32/,
  },
  {
    what: 'an autoscaler that aims at no use at all',
    refused: () => autoscaling({ targetCpuPercent: 0 }),
    words: /needs a whole targetCpuPercent of at least 1/,
    allowed: autoscaling({}),
    patch: (objects) => autoscaler(objects).metrics[0].resource.target.averageUtilization = 0,
    error: /averageUtilization: .*must be greater than 0/,
  },
  {
    what: 'a node requirement without a value',
    refused: () => ({ roleGroups: { default: { nodes: [NodeRequirement.in('zone', [])] } } }),
    words: /the node requirement on zone needs at least one value/,
    allowed: { deploymentMode: DEPLOYMENT, roleGroups: { default: { nodes: [NodeRequirement.in('zone', ['a'])] } } },
    patch: (objects) => {
      const [term] = pod(objects).affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
      term.matchExpressions[0].values = [];
    },
    error: /values: Required value: must be specified when `operator` is 'In' or 'NotIn'/,
  },
  {
    what: 'one host port for two ports',
    refused: () => ({ engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { http: 3593 } })] }),
    words: /hostPort 3593 is given for two ports/,
    allowed: { engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()] },
    patch: (objects) => container(objects).ports[0].hostPort = 3593,
    error: /ports\[1\]\.hostPort: Duplicate value: "TCP\/\/3593"/,
  },
  {
    what: 'a host port that there is not',
    refused: () => ({ access: [AgentAccess.hostPort({ ports: { http: 70000 } })] }),
    words: /host port http must be a whole number from 1 to 65535/,
    allowed: { access: [AgentAccess.hostPort()] },
    patch: (objects) => container(objects).ports[0].hostPort = 70000,
    error: /hostPort: Invalid value: 70000: must be between 1 and 65535/,
  },
  {
    what: 'a mount twice',
    refused: engine({ containers: [{ name: 'odd', image: 'odd:1', volumeMounts: [1, 2].map(() => ({ name: 'config', mountPath: '/a' })) }] }),
    words: /mounts \/a twice/,
    patch: (objects) => container(objects).volumeMounts.push({ name: 'config', mountPath: '/config' }),
    error: /duplicate entries for key \[mountPath="\/config"\]/,
  },
  {
    what: 'a variable twice',
    refused: engine({ containers: [{ name: 'odd', image: 'odd:1', env: ['1', '2'].map((value) => ({ name: 'A', value })) }] }),
    words: /sets variable A twice/,
    patch: (objects) => container(objects).env.push({ name: 'NODE_NAME', value: 'elsewhere' }),
    error: /duplicate entries for key \[name="NODE_NAME"\]/,
  },
  {
    what: 'a ConfigMap above 1 MiB',
    refused: () => ({ engine: opa({ policies: [rego(2 ** 20)] }) }),
    words: /ConfigMap agent-policies would have \d+ bytes/,
    patch: (objects) => find(objects, 'ConfigMap', 'agent-policies').data['authz.rego'] += '#'.repeat(2 ** 20),
    error: /ConfigMap "agent-policies" is invalid: .*Too long: may not be more than 1048576 bytes/,
  },
  {
    what: 'labels that identify the pods',
    refused: () => ({ labels: { 'app.kubernetes.io/name': 'x' } }),
    words: /labels must not contain app\.kubernetes\.io\/name/,
    patch: (objects) => podTemplate(objects).metadata.labels['app.kubernetes.io/name'] = 'x',
    error: /spec\.template\.metadata\.labels: Invalid value: .*`selector` does not match template `labels`/,
  },
  {
    what: 'a name with capital letters',
    refused: () => ({ instanceName: 'Opa' }),
    words: /instanceName .* must be a DNS label/,
    patch: (objects) => find(objects, 'Service').metadata.name = 'Opa',
    error: /Service "Opa" is invalid: metadata\.name: Invalid value/,
  },
  {
    what: 'a name that is too long for the headless Service',
    refused: () => ({ instanceName: 'a'.repeat(55), headlessService: true }),
    words: /name of the headless Service must be a DNS label/,
    patch: (objects) => find(objects, 'Service').metadata.name = `${'a'.repeat(55)}-headless`,
    error: /metadata\.name: Invalid value: .*must be no more than 63 (characters|bytes)/,
  },
  {
    what: 'a role group that no workload can be called by',
    refused: () => ({ roleGroups: { 'GPU nodes': {} } }),
    words: /name of a role group must be a DNS label/,
    patch: (objects) => workload(objects).metadata.name = 'agent-GPU nodes',
    error: /metadata\.name: Invalid value: "agent-GPU nodes"/,
  },
  {
    what: 'an engine whose port has a name that is too long',
    refused: engine({ ports: [{ name: 'a-very-long-name', port: 8181 }] }),
    words: /must name its ports with at most 15/,
    patch: (objects) => container(objects).ports[0].name = 'a-very-long-name',
    error: /ports\[0\]\.name: Invalid value: "a-very-long-name": must be no more than 15 (characters|bytes)/,
  },
  {
    what: 'an engine with a port that there is not',
    refused: engine({ ports: [{ name: 'http', port: 0 }] }),
    words: /must listen on ports from 1 to 65535/,
    patch: (objects) => container(objects).ports[0].containerPort = 70000,
    error: /containerPort: Invalid value: 70000: must be between 1 and 65535/,
  },
  {
    what: 'an engine with a port twice',
    refused: engine({ ports: [{ name: 'http', port: 1 }, { name: 'http', port: 2 }] }),
    words: /returns port http twice/,
    patch: (objects) => container(objects).ports[1].name = 'http',
    error: /ports\[1\]\.name: Duplicate value: "http"/,
  },
  {
    what: 'an engine without a container',
    refused: engine({ containers: [] }),
    words: /must return at least one container/,
    patch: (objects) => pod(objects).containers = [],
    error: /spec\.template\.spec\.containers: Required value/,
  },
  {
    what: 'an engine without an image',
    refused: engine({ containers: [{ name: 'odd' }] }),
    words: /must name every container and its image/,
    patch: (objects) => delete container(objects).image,
    error: /containers\[0\]\.image: Required value/,
  },
  {
    what: 'an engine with a ConfigMap that cannot be called so',
    refused: engine({ configMaps: [{ suffix: 'A_B', data: {} }] }),
    words: /suffix of a ConfigMap of engine odd must be a DNS label/,
    patch: (objects) => find(objects, 'ConfigMap', 'agent-config').metadata.name = 'agent-A_B',
    error: /ConfigMap "agent-A_B" is invalid: metadata\.name: Invalid value/,
  },
];
