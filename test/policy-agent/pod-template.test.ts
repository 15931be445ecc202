import { Duration } from 'cdk8s';
import {
  AgentAccess, AgentImagePullPolicy, AgentMetrics, AgentTls, CerbosEngine, CerbosStorage, DeploymentMode, NetworkPeer, OpaAuthorization, OpaEngine,
  PolicyAgentProps, PolicyFiles, UnsatisfiableSpread,
} from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate } from '../support/synth';

const pod = (props: PolicyAgentProps) => podTemplate(agentObjects(props)).spec;
const container = (props: PolicyAgentProps) => pod(props).containers[0];
const bundles = { authz: { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] } };

describe('probes', () => {
  test('OPA: startup and liveness plain, readiness aware of bundles', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container({ engine: opa({ bundles }) });
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => [httpGet.path, httpGet.port])).toEqual([
      ['/health', 'diagnostics'], ['/health', 'diagnostics'], ['/health?bundles', 'diagnostics'],
    ]);
    expect(container({ engine: opa() }).readinessProbe.httpGet.path).toBe('/health');
  });

  test.each<[string, ConstructorParameters<typeof OpaEngine>[0]]>([
    ['a discovery bundle', { discovery: { url: 'https://d.example.com/d.tar.gz', roots: ['a'] }, decisions: ['a/b'] }],
    ['bundles of the raw configuration', { config: { bundles: { b: { resource: 'b' } } }, configRoots: ['a'], decisions: ['a/b'] }],
  ])('OPA: %s count, too', (_, props) => {
    expect(container({ engine: new OpaEngine(props) }).readinessProbe.httpGet.path).toBe('/health?bundles');
  });

  test('OPA with an own policy: it may not be there to allow even health, so startup and liveness look at the port', () => {
    const engine = new OpaEngine({ bundles: { all: { ...bundles.authz, roots: [''] } }, authorization: OpaAuthorization.OWN_POLICY });
    const { startupProbe, livenessProbe } = container({ engine });
    expect([startupProbe.tcpSocket, livenessProbe.tcpSocket]).toEqual([{ port: 'diagnostics' }, { port: 'diagnostics' }]);
  });

  test('Cerbos: its health, which is up when the policies are loaded', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container({ engine: cerbos() });
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe.httpGet).toEqual({ path: '/_cerbos/health', port: 'http' });
  });
});

describe('shutdown', () => {
  test('OPA waits by itself, then has its grace, all within the termination period', () => {
    const spec = pod({ engine: opa(), shutdownWait: Duration.seconds(7) });
    expect(spec.containers[0].args).toEqual(expect.arrayContaining(['--shutdown-wait-period=7', '--shutdown-grace-period=10']));
    expect(spec.containers[0]).not.toHaveProperty('lifecycle');
    expect(spec.terminationGracePeriodSeconds).toBe(22);
  });

  test('Cerbos waits by the native sleep hook, since its image has no shell', () => {
    const spec = pod({ engine: cerbos(), terminationGracePeriod: Duration.minutes(1) });
    expect(spec.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(spec.terminationGracePeriodSeconds).toBe(60);
    expect(container({ engine: cerbos(), shutdownWait: Duration.seconds(0) })).not.toHaveProperty('lifecycle');
  });
});

describe('runtime', () => {
  test('small requests, a memory limit, no CPU limit', () => {
    expect(container({ engine: opa() }).resources).toEqual({ requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } });
    expect(container({ engine: cerbos() }).resources).toEqual({ requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } });
  });

  test('GOMEMLIMIT for OPA, below the memory limit of each role group, unless the user sets it; not for Cerbos, which sets its own', () => {
    const limit = (props: PolicyAgentProps) => container(props).env.filter(({ name }: any) => name === 'GOMEMLIMIT').map(({ value }: any) => value);
    expect(limit({ engine: opa() })).toEqual([String(Math.floor(512 * 2 ** 20 * 0.85))]);
    expect(limit({ engine: opa(), roleGroups: { default: { resources: { memoryLimit: '1G' } } } })).toEqual(['850000000']);
    expect(limit({ engine: opa({ environment: { GOMEMLIMIT: { value: '100MiB' } as any } }) })).toEqual(['100MiB']);
    expect(limit({ engine: cerbos() })).toEqual([]);
    const podOverrides = { spec: { containers: [{ name: 'opa', resources: { limits: { memory: '100M' } } }] } };
    expect(limit({ engine: opa(), podOverrides })).toEqual(['85000000']);
  });

  test('GOMAXPROCS for OPA where there is a CPU limit, since Go takes one core or less for two', () => {
    const processors = (props: PolicyAgentProps) => container(props).env.filter(({ name }: any) => name === 'GOMAXPROCS');
    expect(processors({ engine: opa() })).toEqual([]);
    expect(processors({ engine: opa(), roleGroups: { default: { resources: { cpuLimit: '500m' } } } })).toEqual([
      { name: 'GOMAXPROCS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } },
    ]);
  });
});

describe('hardened by default', () => {
  test.each([['OPA', opa(), 1000], ['Cerbos', cerbos(), 65532]])('%s', (_, engine, user) => {
    const spec = pod({ engine });
    expect(spec.securityContext).toEqual({
      runAsUser: user, runAsGroup: user, fsGroup: user, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.containers[0].securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  test('another user', () => {
    expect(pod({ engine: opa(), runAsUser: 2000 }).securityContext).toMatchObject({ runAsUser: 2000, runAsGroup: 2000 });
  });
});

describe('scheduling', () => {
  const deployment = { engine: cerbos(), deploymentMode: DeploymentMode.DEPLOYMENT };

  test('a priority class, with the quota that system-* classes need outside of kube-system', () => {
    const objects = (namespace: string, priorityClassName: string) => agentObjects({ engine: opa(), namespace, priorityClassName });
    const elsewhere = objects('authz', 'system-node-critical');
    expect(podTemplate(elsewhere).spec.priorityClassName).toBe('system-node-critical');
    expect(find(elsewhere, 'ResourceQuota')).toMatchObject({
      metadata: { name: 'agent-priority', namespace: 'authz' },
      spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }] } },
    });
    expect(objects('kube-system', 'system-node-critical').map(({ kind }) => kind)).not.toContain('ResourceQuota');
    expect(objects('authz', 'agents').map(({ kind }) => kind)).not.toContain('ResourceQuota');
  });

  test('topology spread counts each rollout\'s pods by themselves', () => {
    const zone = 'topology.kubernetes.io/zone';
    const topologySpread = [{ topologyKey: zone, whenUnsatisfiable: UnsatisfiableSpread.DO_NOT_SCHEDULE }];
    const spread = pod({ ...deployment, topologySpread }).topologySpreadConstraints;
    expect(spread).toMatchObject([{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['pod-template-hash'] }]);
    expect(podTemplate(agentObjects(deployment)).metadata.labels).toMatchObject(spread[0].labelSelector.matchLabels);
  });

  test('the weight of spreading', () => {
    const { podAntiAffinity } = pod({ ...deployment, spreadWeight: 90 }).affinity;
    expect(podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight).toBe(90);
  });
});

describe('images', () => {
  test('by digest, with pull secrets and policy', () => {
    const image = `registry.example.com/opa@sha256:${'0'.repeat(64)}`;
    const spec = pod({ engine: opa({ image }), imagePullSecrets: ['registry'], imagePullPolicy: AgentImagePullPolicy.ALWAYS });
    expect(spec.containers[0]).toMatchObject({ image, imagePullPolicy: 'Always' });
    expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  test('with policies in an image volume', () => {
    const engine = new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromImage('registry.example.com/policies:1')) });
    const objects = agentObjects({ engine, kubernetesVersion: '1.35' as any });
    const { spec } = podTemplate(objects);
    expect(spec.volumes).toContainEqual({ name: 'policy-image-0', image: { reference: 'registry.example.com/policies:1', pullPolicy: 'IfNotPresent' } });
    expect(JSON.parse(find(objects, 'ConfigMap', 'agent-config').data['.cerbos.yaml']).storage.disk.directory).toBe('/policy-images/0');
  });
});

describe('metrics', () => {
  const annotations = (props: PolicyAgentProps) => {
    const all = podTemplate(agentObjects(props)).metadata.annotations;
    return Object.fromEntries(Object.entries(all).filter(([key]) => key.startsWith('prometheus.io/')));
  };

  test('by annotations on the pods', () => {
    expect(annotations({ engine: opa() })).toEqual({
      'prometheus.io/scrape': 'true', 'prometheus.io/port': '8282', 'prometheus.io/path': '/metrics', 'prometheus.io/scheme': 'http',
    });
    expect(annotations({ engine: cerbos(), tls: AgentTls.fromSecret('tls') })).toMatchObject({
      'prometheus.io/port': '3592', 'prometheus.io/path': '/_cerbos/metrics', 'prometheus.io/scheme': 'https',
    });
    expect(annotations({ engine: opa(), metrics: AgentMetrics.none() })).toEqual({});
  });

  test('by a PodMonitor', () => {
    const metrics = AgentMetrics.podMonitor({ labels: { prometheus: 'main' }, interval: Duration.seconds(15) });
    const objects = agentObjects({ engine: cerbos(), metrics, tls: AgentTls.fromSecret('tls') });
    expect(find(objects, 'PodMonitor')).toMatchObject({
      metadata: { name: 'agent', labels: { prometheus: 'main' } },
      spec: { podMetricsEndpoints: [{ port: 'http', path: '/_cerbos/metrics', scheme: 'https', interval: '15s', tlsConfig: { serverName: 'agent.authz.svc' } }] },
    });
    expect(podTemplate(objects).metadata.labels).toMatchObject(find(objects, 'PodMonitor').spec.selector.matchLabels);
    expect(annotations({ engine: cerbos(), metrics })).toEqual({});
  });
});

describe('a NetworkPolicy on request', () => {
  const networkPolicy = { clients: [NetworkPeer.pods({ app: 'web' }), NetworkPeer.namespace('shop')], metrics: [NetworkPeer.namespace('monitoring')] };

  test('lets clients to the API and scrapers to the metrics', () => {
    expect(find(agentObjects({ engine: opa(), networkPolicy }), 'NetworkPolicy').spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'opa', 'app.kubernetes.io/instance': 'agent', 'app.kubernetes.io/component': 'server' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { app: 'web' } } }, { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } }],
          ports: [{ protocol: 'TCP', port: 8181 }],
        },
        { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }], ports: [{ protocol: 'TCP', port: 8282 }] },
      ],
    });
  });

  test('lets clients to the port that listens', () => {
    const props = { engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()] };
    const [rule] = find(agentObjects({ ...props, networkPolicy: { clients: [NetworkPeer.everyPod(), NetworkPeer.cidr('10.0.0.0/8', ['10.1.0.0/16'])] } }), 'NetworkPolicy').spec.ingress;
    expect(rule).toEqual({
      from: [{ namespaceSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
      ports: [{ protocol: 'TCP', port: 3592 }],
    });
  });

  test('closes the agent when it names nobody', () => {
    expect(find(agentObjects({ engine: opa(), networkPolicy: { clients: [] } }), 'NetworkPolicy').spec.ingress).toEqual([]);
  });
});
