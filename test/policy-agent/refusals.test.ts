import { Duration } from 'cdk8s';
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import {
  Acknowledgement, AgentAccess, AgentMetrics, AgentTls, ClientCertificates, DeploymentMode, DisruptionBudget, InternalTrafficPolicy, NodeRequirement,
  OpaAuthorization, PolicyAgentProps, PolicyFiles, TrafficDistribution,
} from '../../lib';
import { agentObjects, cerbos, opa, secretValue } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT, SIDECAR } = DeploymentMode;
const { LOCAL, CLUSTER } = InternalTrafficPolicy;
const pods = (number: number) => PercentOrAbsolute.absolute(number);
const gpu = [NodeRequirement.exists('gpu')];
const noGpu = [NodeRequirement.doesNotExist('gpu')];
const required = { clientCertificates: ClientCertificates.REQUIRED, serverName: 'opa' };
const bundle = (...roots: string[]) => ({ url: 'https://bundles.example.com/a.tar.gz', roots });
const rego = (path: string) => PolicyFiles.inline({ 'policy.rego': `package ${path}\nallow := true\n` });

type Props = Partial<PolicyAgentProps>;

/** What is refused, the error, and what is allowed instead. */
const REFUSALS: [string, Props, RegExp, ...Props[]][] = [
  [
    'Local on a Deployment', { deploymentMode: DEPLOYMENT, internalTrafficPolicy: LOCAL },
    /internalTrafficPolicy Local with deploymentMode Deployment.*packets are dropped.*acknowledge LOCAL_WITHOUT_FULL_COVERAGE/,
    { deploymentMode: DEPLOYMENT, internalTrafficPolicy: CLUSTER },
    { deploymentMode: DEPLOYMENT, internalTrafficPolicy: LOCAL, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] },
  ],
  [
    'Local on a DaemonSet whose role groups do not cover every node', { roleGroups: { gpu: { nodes: gpu } } },
    /no role group provably selects a node without label gpu.*CLUSTER, or acknowledge LOCAL_WITHOUT_FULL_COVERAGE/,
    { roleGroups: { gpu: { nodes: gpu }, rest: { nodes: noGpu } } },
    { roleGroups: { gpu: { nodes: gpu } }, internalTrafficPolicy: CLUSTER },
    { roleGroups: { gpu: { nodes: gpu } }, access: [AgentAccess.hostPort()] },
    { roleGroups: { gpu: { nodes: gpu } }, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] },
  ],
  [
    'Local on a DaemonSet that an override keeps off some nodes', { podOverrides: { spec: { nodeSelector: { disk: 'ssd' } } } },
    /no role group provably selects a node with another value of label disk/,
    { podOverrides: { spec: { tolerations: [{ operator: 'Exists' }] } } },
  ],
  [
    'trafficDistribution with Local, which makes it inert', { trafficDistribution: TrafficDistribution.PREFER_SAME_NODE },
    /trafficDistribution PreferSameNode has no effect with internalTrafficPolicy Local \(the default of this deploymentMode\): set .* CLUSTER/,
    { trafficDistribution: TrafficDistribution.PREFER_SAME_NODE, internalTrafficPolicy: CLUSTER },
    { trafficDistribution: TrafficDistribution.PREFER_SAME_NODE, deploymentMode: DEPLOYMENT },
  ],
  [
    'a prop of the Service without one', { access: [AgentAccess.hostPort()], headlessService: true },
    /headlessService concern the Service, but access has no AgentAccess\.service\(\)/,
    { access: [AgentAccess.hostPort(), AgentAccess.service()], headlessService: true },
  ],
  [
    'a hostPort on a Deployment', { deploymentMode: DEPLOYMENT, access: [AgentAccess.hostPort()] },
    /access by hostPort with deploymentMode Deployment.*use deploymentMode DAEMON_SET or AgentAccess\.service\(\)/,
    { access: [AgentAccess.hostPort()] },
  ],
  [
    'a node socket on a Deployment', { deploymentMode: DEPLOYMENT, access: [AgentAccess.unixSocket()] },
    /access by Unix socket with deploymentMode Deployment/,
    { access: [AgentAccess.unixSocket()] },
  ],
  [
    'TLS by host address without a server name', { access: [AgentAccess.hostPort()], tls: AgentTls.fromSecret('tls') },
    /TLS with access by hostPort needs tls\.serverName/,
    { access: [AgentAccess.hostPort()], tls: AgentTls.fromSecret('tls', { serverName: 'opa' }) },
  ],
  [
    'a disruption budget on a DaemonSet', { disruptionBudget: DisruptionBudget.maxUnavailable(pods(1)) },
    /disruptionBudget with deploymentMode DaemonSet.*leave it out/,
    { disruptionBudget: DisruptionBudget.none() },
    { deploymentMode: DEPLOYMENT, disruptionBudget: DisruptionBudget.maxUnavailable(pods(1)) },
  ],
  [
    'autoscaling on a DaemonSet', { roleGroups: { default: { autoscaling: { maxReplicas: 5 } } } },
    /autoscaling of role group default with deploymentMode DaemonSet/,
    { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5 } } } },
  ],
  [
    'a Service of a sidecar', { deploymentMode: SIDECAR, access: [AgentAccess.service()] },
    /access by Service with deploymentMode Sidecar: clients have the agent in their own pods/,
    { deploymentMode: SIDECAR },
    { deploymentMode: SIDECAR, access: [AgentAccess.unixSocket()] },
  ],
  ['a hostPort of a sidecar', { deploymentMode: SIDECAR, access: [AgentAccess.hostPort()] }, /access by hostPort with deploymentMode Sidecar/],
  ['TLS of a sidecar', { deploymentMode: SIDECAR, tls: AgentTls.fromSecret('tls') }, /tls with deploymentMode Sidecar: nothing leaves the pod/],
  [
    'what concerns pods of its own, of a sidecar',
    {
      deploymentMode: SIDECAR,
      spreadWeight: 5,
      headlessService: true,
      priorityClassName: 'high',
      shutdownWait: Duration.seconds(1),
      disruptionBudget: DisruptionBudget.maxUnavailable(pods(1)),
      metrics: AgentMetrics.podMonitor(),
    },
    /headlessService and spreadWeight and priorityClassName and shutdownWait and disruptionBudget and metrics \(a PodMonitor\) with deploymentMode Sidecar/,
    { deploymentMode: SIDECAR, disruptionBudget: DisruptionBudget.none(), metrics: AgentMetrics.none(), imagePullSecrets: ['s'] },
  ],
  [
    'replicas of a sidecar', { deploymentMode: SIDECAR, roleGroups: { default: { replicas: 2, nodes: gpu } } },
    /replicas and nodes of a role group with deploymentMode Sidecar/,
    { deploymentMode: SIDECAR, roleGroups: { default: { resources: { cpuRequest: '1' } } } },
  ],
  ['two role groups of a sidecar', { deploymentMode: SIDECAR, roleGroups: { a: {}, b: {} } }, /role groups a, b with deploymentMode Sidecar: one must do/],
  [
    'overrides of its client\'s pod by a sidecar', { deploymentMode: SIDECAR, podOverrides: { metadata: {}, spec: { nodeSelector: {}, volumes: [] } } },
    /podOverrides metadata and spec\.nodeSelector with deploymentMode Sidecar/,
    { deploymentMode: SIDECAR, podOverrides: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } },
  ],
  [
    'a change to a sidecar by steps', { deploymentMode: SIDECAR, migrateFrom: DEPLOYMENT }, /migrateFrom Deployment with deploymentMode Sidecar/,
  ],
  ['a change from a sidecar by steps', { deploymentMode: DEPLOYMENT, migrateFrom: SIDECAR }, /migrateFrom Sidecar with deploymentMode Deployment/],
  [
    'surge with a hostPort', { access: [AgentAccess.hostPort()], rollout: { maxSurge: pods(1) } },
    /rollout\.maxSurge 1 with a hostPort: the new pod waits for the port of the old one/,
    { access: [AgentAccess.hostPort()], rollout: { maxUnavailable: PercentOrAbsolute.percent(10) } },
  ],
  [
    'surge with a fixed node socket', { access: [AgentAccess.unixSocket()], rollout: { maxSurge: pods(1) } },
    /rollout\.maxSurge 1 with a Unix socket: the old pod removes the socket of the new one/,
    { access: [AgentAccess.unixSocket()], rollout: { maxUnavailable: pods(2) } },
  ],
  [
    'required client certificates of an engine that cannot enforce them', { engine: cerbos(), tls: AgentTls.fromSecret('tls', required) },
    /Cerbos cannot require client certificates.*VERIFY_IF_GIVEN/,
    { engine: cerbos(), tls: AgentTls.fromSecret('tls', { clientCertificates: ClientCertificates.VERIFY_IF_GIVEN }) },
    { engine: opa(), tls: AgentTls.fromSecret('tls', required) },
  ],
  [
    'client certificates that are verified if given, of an engine that cannot do so',
    { tls: AgentTls.fromSecret('tls', { clientCertificates: ClientCertificates.VERIFY_IF_GIVEN }) },
    /OPA either requires client certificates or does not ask for them/,
  ],
  [
    'a socket beside required client certificates', { access: [AgentAccess.service(), AgentAccess.unixSocket()], tls: AgentTls.fromSecret('tls', required) },
    /access by Unix socket beside required client certificates.*acknowledge SOCKET_BESIDE_CLIENT_CERTIFICATES/,
    {
      access: [AgentAccess.service(), AgentAccess.unixSocket()],
      tls: AgentTls.fromSecret('tls', required),
      acknowledge: [Acknowledgement.SOCKET_BESIDE_CLIENT_CERTIFICATES],
    },
  ],
  [
    'role groups of a DaemonSet that may share a node', { roleGroups: { gpu: { nodes: gpu }, all: {} } },
    /role groups gpu and all may both select a node with another value of label gpu.*or acknowledge OVERLAPPING_ROLE_GROUPS/,
    { roleGroups: { gpu: { nodes: gpu }, rest: { nodes: noGpu } } },
    { roleGroups: { gpu: { nodes: gpu }, all: {} }, deploymentMode: DEPLOYMENT },
    { roleGroups: { gpu: { nodes: gpu }, all: {} }, acknowledge: [Acknowledgement.OVERLAPPING_ROLE_GROUPS] },
  ],
  [
    'a weight above 100', { deploymentMode: DEPLOYMENT, spreadWeight: 101 }, /spreadWeight must be a whole number from 1 to 100, given 101/,
    { deploymentMode: DEPLOYMENT, spreadWeight: 100 },
  ],
  [
    'a weight of 0, which would mean required to some', { deploymentMode: DEPLOYMENT, spreadWeight: 0 }, /from 1 to 100, given 0/,
    { deploymentMode: DEPLOYMENT, spreadWeight: 1 },
  ],
  [
    'spreading on a DaemonSet', { topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }] },
    /topologySpread with deploymentMode DaemonSet has no effect/,
    { deploymentMode: DEPLOYMENT, topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }] },
  ],
  ['a spread weight on a DaemonSet', { spreadWeight: 50 }, /spreadWeight with deploymentMode DaemonSet has no effect/],
  [
    'a skew of 0', { deploymentMode: DEPLOYMENT, topologySpread: [{ topologyKey: 'zone', maxSkew: 0 }] },
    /maxSkew of topologySpread zone must be a whole number of at least 1, given 0/,
  ],
  [
    'inline Rego beside a bundle that owns everything', { engine: opa({ bundles: { all: bundle('') }, policies: [rego('extra')], decisions: undefined }) },
    /policy file policy\.rego \('extra'\) and bundle all \(''\) own the same part of OPA's data tree: their roots must be stated and disjoint/,
    { engine: opa({ bundles: { all: bundle('authz') }, policies: [rego('extra')] }) },
  ],
  [
    'inline Rego beside a bundle that owns a part of it', { engine: opa({ bundles: { org: bundle('org/authz') }, policies: [rego('org')], decisions: ['org/authz/allow'] }) },
    /policy file policy\.rego \('org'\) and bundle org \('org\/authz'\) own the same part/,
  ],
  [
    'policy files of unknown roots beside a bundle',
    { engine: opa({ bundles: { authz: bundle('authz') }, policies: [PolicyFiles.fromConfigMap('rules', { checksum: '1' })] }) },
    /the policy files of rules, whose roots are not stated,/,
    { engine: opa({ bundles: { authz: bundle('authz') }, policies: [PolicyFiles.fromConfigMap('rules', { checksum: '1', roots: ['extra'] })] }) },
    { engine: opa({ policies: [PolicyFiles.fromConfigMap('rules', { checksum: '1' })] }) },
  ],
  [
    'two bundles that own the same', { engine: opa({ bundles: { a: bundle('authz/a'), b: bundle('authz') } }) },
    /bundle a \('authz\/a'\) and bundle b \('authz'\) own the same part/,
    { engine: opa({ bundles: { a: bundle('authz/a'), b: bundle('authz/b') }, decisions: ['authz/a/allow'] }) },
  ],
  [
    'a bundle without stated roots', { engine: opa({ bundles: { a: bundle() } }) },
    /roots of bundle a must be stated as its manifest states them, \[''\] when it states none/,
  ],
  [
    'bundles in the raw configuration without stated roots', { engine: opa({ config: { bundles: { a: { service: 's' } } } }) },
    /config names bundle a, so configRoots must state the roots/,
    { engine: opa({ config: { bundles: { a: { service: 's' } }, services: { s: { url: 'https://s' } } }, configRoots: ['authz'] }) },
  ],
  [
    'a bundle that would erase the generated authorization', { engine: opa({ bundles: { a: bundle('system') } }) },
    /DECISIONS cannot hold beside roots 'system' of bundle a.*OWN_POLICY/,
    { engine: opa({ bundles: { a: bundle('system') }, authorization: OpaAuthorization.OWN_POLICY, decisions: undefined }) },
  ],
  [
    'a feature newer than kubernetesVersion', { engine: opa({ policies: [PolicyFiles.fromImage('registry.example.com/policies:1')] }) },
    /PolicyFiles\.fromImage\("registry\.example\.com\/policies:1"\) needs image volumes, which Kubernetes has from 1\.35; given kubernetesVersion 1\.34/,
    { engine: opa({ policies: [PolicyFiles.fromImage('registry.example.com/policies:1')] }), kubernetesVersion: '1.35' as any },
  ],
  [
    'a budget that blocks every eviction', { deploymentMode: DEPLOYMENT, disruptionBudget: DisruptionBudget.minAvailable(pods(2)) },
    /disruptionBudget minAvailable 2 of 2 pods would block every eviction/,
    { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 3 } }, disruptionBudget: DisruptionBudget.minAvailable(pods(2)) },
  ],
  [
    'a percentage that blocks every eviction',
    { deploymentMode: DEPLOYMENT, disruptionBudget: DisruptionBudget.minAvailable(PercentOrAbsolute.percent(51)) },
    /minAvailable 51% of 2 pods would block every eviction/,
    { deploymentMode: DEPLOYMENT, disruptionBudget: DisruptionBudget.minAvailable(PercentOrAbsolute.percent(50)) },
  ],
  [
    'surge and unavailability together on a DaemonSet', { rollout: { maxSurge: pods(1), maxUnavailable: pods(1) } },
    /rollout with maxSurge 1 and maxUnavailable 1: deploymentMode DaemonSet allows exactly one of them to be above 0/,
    { rollout: { maxUnavailable: pods(1) } },
  ],
  [
    'a rollout that cannot move', { deploymentMode: DEPLOYMENT, rollout: { maxSurge: pods(0), maxUnavailable: PercentOrAbsolute.percent(0) } },
    /rollout with maxSurge 0 and maxUnavailable 0%: one of them must be above 0/,
    { deploymentMode: DEPLOYMENT, rollout: { maxSurge: pods(1), maxUnavailable: pods(1) } },
  ],
  [
    'autoscaling below its minimum', { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { minReplicas: 3, maxReplicas: 2 } } } },
    /needs whole numbers 1 <= minReplicas <= maxReplicas, given 3 and 2/,
  ],
  [
    'autoscaling by a fraction', { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5.5 } } } },
    /needs whole numbers .*, given 2 and 5\.5/,
    { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5, minReplicas: undefined, targetCpuPercent: undefined } } } },
  ],
  [
    'a rollout that takes more than everything away', { rollout: { maxUnavailable: PercentOrAbsolute.percent(150) } },
    /rollout\.maxUnavailable must be at most 100%, given 150%/,
    { rollout: { maxSurge: pods(0) } },
  ],
  [
    'a rollout of a DaemonSet that adds more than everything', { rollout: { maxSurge: PercentOrAbsolute.percent(150) } },
    /rollout\.maxSurge must be at most 100%, given 150%/,
    { deploymentMode: DEPLOYMENT, rollout: { maxSurge: PercentOrAbsolute.percent(150) } },
  ],
  [
    'surge with a hostPort that an override brings', { podOverrides: { spec: { hostNetwork: true } }, rollout: { maxSurge: pods(1) } },
    /rollout\.maxSurge 1 with a hostPort/,
  ],
  [
    'a name that is too long for the headless Service', { instanceName: 'a'.repeat(55), headlessService: true }, /name of the headless Service must be a DNS label/,
    { instanceName: 'a'.repeat(54), headlessService: true },
  ],
  [
    'a secret that an open OPA would tell',
    { engine: opa({ bundles: { all: bundle('') }, decisions: undefined, environment: { DB_PASSWORD: secretValue('db', 'password') } }) },
    /a bundle with roots \[''\] leaves OPA's API open, where everyone can read variable DB_PASSWORD.*OWN_POLICY, or accept it by OpaAuthorization\.OFF/,
    {
      engine: opa({
        bundles: { all: bundle('') }, decisions: undefined, authorization: OpaAuthorization.OFF, environment: { DB_PASSWORD: secretValue('db', 'password') },
      }),
    },
  ],
  [
    'a decision that stands nowhere', { engine: opa({ bundles: { authz: bundle('authz') }, decisions: ['auhtz/allow'] }) },
    /decision auhtz\/allow stands in no bundle and no policy file, which hold 'authz': it would always be undefined/,
    { engine: opa({ policies: [PolicyFiles.fromConfigMap('rules', { checksum: '1' })], decisions: ['auhtz/allow'] }) },
  ],
  [
    'autoscaling without a CPU request',
    { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 2 }, resources: { cpuRequest: '0' } } } },
    /autoscaling of role group default needs a CPU request/,
  ],
  [
    'a grace period that ends before the agent stops', { terminationGracePeriod: Duration.seconds(14) },
    /terminationGracePeriod must be at least 15 seconds \(shutdownWait 5 and the 10 that the engine may take to stop\), given 14/,
    { terminationGracePeriod: Duration.seconds(15) },
  ],
  [
    'a host port for a port that there is not', { access: [AgentAccess.hostPort({ ports: { grpc: 1 } })] },
    /hostPort is given for port grpc, but those that the engine listens on are http/,
    { engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { grpc: 13593 } })] },
  ],
  [
    'one host port for two ports',
    { engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { http: 3593 } })] },
    /hostPort 3593 is given for two ports of the engine/,
  ],
  [
    'a socket path that is too long', { access: [AgentAccess.unixSocket({ hostDirectory: `/run/${'x'.repeat(94)}` })] },
    /path of the Unix socket must have at most 107 bytes, given 108/,
    { access: [AgentAccess.unixSocket({ hostDirectory: `/run/${'x'.repeat(93)}` })] },
  ],
  ['no way of access', { access: [] }, /access must name at least one way, given none/],
  ['a way of access twice', { access: [AgentAccess.service(), AgentAccess.service()] }, /access must name each way once, given service 2 times/],
  [
    'a memory request above its limit', { roleGroups: { default: { resources: { memoryRequest: '1Gi' } } } },
    /memory request of role group default must not be above its limit, given 1Gi and 512Mi/,
    { roleGroups: { default: { resources: { memoryRequest: '1Gi', memoryLimit: '1024Mi' } } } },
  ],
  [
    'a quantity that is none', { roleGroups: { default: { resources: { cpuRequest: '100 m' } } } },
    /CPU request of role group default must be a Kubernetes quantity such as 250m or 128Mi, given "100 m"/,
  ],
  ['a name that no Service can have', { instanceName: '1opa' }, /instanceName .* must be a DNS label .*, given "1opa"/],
  ['a role group that no workload can be called by', { roleGroups: { 'GPU nodes': {} } }, /name of a role group must be a DNS label .*, given "GPU nodes"/],
  ['a fraction of a replica', { roleGroups: { default: { replicas: 1.5 } } }, /replicas of role group default must be a whole number of at least 0, given 1\.5/],
  ['labels that identify the pods', { labels: { 'app.kubernetes.io/name': 'x' } }, /labels must not contain app\.kubernetes\.io\/name/],
];

describe.each(REFUSALS)('%s', (_, props, error, ...allowed) => {
  test('fails, and the error says where, what was given and what is allowed', () => {
    const synth = () => agentObjects({ engine: opa(), ...props });
    expect(synth).toThrow(error);
    expect(synth).toThrow(/^\[test\/Agent\] /);
  });

  if (allowed.length > 0) {
    test('has a way out', () => {
      for (const way of allowed) expect(podTemplates(agentObjects({ engine: opa(), ...way }))).toBeGreaterThan(0);
    });
  }
});

function podTemplates(objects: any[]): number {
  return objects.filter(({ kind }) => ['DaemonSet', 'Deployment'].includes(kind)).length;
}

test('props that are wrong by themselves fail before an agent is made', () => {
  expect(() => AgentAccess.hostPort({ ports: { http: 70000 } })).toThrow('host port http must be a whole number from 1 to 65535, given 70000');
  expect(() => AgentAccess.unixSocket({ mode: '0999' })).toThrow("mode of a socket must be three octal digits such as '0660', given \"0999\"");
  expect(() => AgentAccess.unixSocket({ hostDirectory: 'run/opa' })).toThrow('without a final slash, given "run/opa"');
  expect(() => AgentAccess.unixSocket({ hostDirectory: '/run/../etc' })).toThrow('without a final slash, given "/run/../etc"');
  expect(() => AgentTls.fromSecret('')).toThrow('secretName of the TLS Secret must not be empty');
  expect(() => DisruptionBudget.maxUnavailable(pods(0))).toThrow('it would block every eviction');
  expect(() => NodeRequirement.in('zone', [])).toThrow('the node requirement on zone needs at least one value, given none');
});
