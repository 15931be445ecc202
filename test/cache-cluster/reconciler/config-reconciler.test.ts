import { execFileSync } from 'child_process';
import { App, Chart, Duration } from 'cdk8s';
import { NetworkPolicy, Pods } from 'cdk8s-plus-28';
import { configurationOf, reconciled, rulesOf, shared } from './reconcilers';
import {
  AgentMetrics, CacheCluster, CacheConfiguration, CacheStorage, ConfigDirection, ConfigOrphans, ConfigReconciler, ConfigReconcilerLogLevel,
  ConfigReconciling, ConfigRemoval, NetworkPeer, NodeRequirement, Toleration,
} from '../../../lib';
import { withoutProgram } from '../../support/reconciler-program';
import { find, synthesise } from '../../support/synth';
import { OPERATOR, STATEFUL_SET, testCluster } from '../caches';

/** The objects of the reconciler alone. */
const own = (objects: any[]) => objects.filter(({ metadata }) => metadata.labels['app.kubernetes.io/name'] === 'config-reconciler');
const clusters = (objects: any[], name?: string) => configurationOf(objects, name).clusters;

test('a cluster\'s own, by default: one small pod that may do nothing but what it does', () => {
  const { chart, cluster } = reconciled();
  const objects = own(synthesise(chart));
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name.replace(/-[0-9a-f]{10}$/, '')}`)).toEqual([
    'ConfigMap sessions-reconciler-program', 'ConfigMap sessions-reconciler-configuration', 'ServiceAccount sessions-reconciler', 'Role sessions-reconciler',
    'RoleBinding sessions-reconciler', 'Deployment sessions-reconciler',
  ]);
  expect(cluster.configReconciler!.reconcilerName).toBe('sessions-reconciler');
  const { strategy, template: { spec } } = find(objects, 'Deployment').spec;
  expect(strategy).toEqual({ type: 'Recreate' });
  expect(spec.containers[0].command).toEqual(['node', '--max-semi-space-size=1', '--max-old-space-size=64', '--v8-pool-size=1', '/opt/config-reconciler/program.js']);
  expect(clusters(objects)).toEqual([expect.objectContaining({
    name: 'sessions',
    url: 'http://sessions-admin.caches.svc:11223',
    secret: 'sessions-client',
    operator: false,
    direction: 'both',
    removal: 'keep-cache',
    paused: false,
    perPod: undefined,
  })]);
  expect(rulesOf(objects)).toEqual([
    'list,watch,create,patch,delete infinispan.org/caches',
    'patch infinispan.org/caches/status',
    'create events.k8s.io/events',
    'list,watch secrets sessions-client',
  ]);
  expect(withoutProgram(objects)).toMatchSnapshot();
});

test('everything that it can have', () => {
  const { chart } = reconciled({
    reconcilerName: 'keeper',
    orphans: ConfigOrphans.REMOVE,
    definitions: true,
    logLevel: ConfigReconcilerLogLevel.DEBUG,
    metrics: AgentMetrics.podMonitor({ labels: { release: 'prometheus' }, interval: Duration.seconds(30) }),
    nodeImage: 'registry.example.com/node:22',
    imagePullSecrets: ['registry'],
    serviceAccountName: 'existing',
    resources: { cpuRequest: '20m', memoryRequest: '96Mi', memoryLimit: '256Mi' },
    nodes: [NodeRequirement.in('disk', ['ssd'])],
    tolerations: [Toleration.exists('memory')],
    priorityClassName: 'high',
    terminationGracePeriod: Duration.seconds(20),
    labels: { team: 'shop' },
    annotations: { 'example.com/owner': 'shop' },
    podAnnotations: { 'example.com/pod': 'yes' },
    podOverrides: { spec: { hostUsers: false, containers: [{ name: 'config-reconciler', env: [{ name: 'TZ', value: 'UTC' }] }] } },
    objectOverrides: [{ kind: 'Deployment', metadata: { name: 'keeper' }, spec: { revisionHistoryLimit: 1 } }],
    removal: ConfigRemoval.REMOVE,
    paused: true,
    credentialsSecret: 'keeper-user',
    usernameKey: 'name',
    passwordKey: 'word',
    url: 'https://sessions:11222',
    caSecret: 'sessions-ca',
    serverName: 'sessions.example.com',
    podService: 'sessions-pods',
  });
  const objects = own(synthesise(chart));
  expect(objects.some(({ kind }) => kind === 'ServiceAccount')).toBe(false);
  expect(find(objects, 'RoleBinding').subjects).toEqual([{ kind: 'ServiceAccount', name: 'existing', namespace: 'caches' }]);
  const { template } = find(objects, 'Deployment', 'keeper').spec;
  expect(template.spec.containers[0].command).toContain('--max-old-space-size=128');
  expect(configurationOf(objects, 'keeper')).toEqual({
    instance: 'keeper',
    logLevel: 'debug',
    orphans: 'remove',
    definitions: true,
    clusters: [{
      name: 'sessions',
      url: 'https://sessions:11222',
      secret: 'keeper-user',
      usernameKey: 'name',
      passwordKey: 'word',
      caFile: '/etc/config-reconciler-ca/sessions/ca.crt',
      serverName: 'sessions.example.com',
      perPod: 'sessions-pods',
      operator: false,
      direction: 'both',
      removal: 'remove-cache',
      paused: true,
    }],
  });
  expect(rulesOf(objects)).toEqual(expect.arrayContaining([
    'list,watch secrets keeper-user', 'list,watch configmaps', 'patch configmaps', 'list,watch discovery.k8s.io/endpointslices',
  ]));
  expect(withoutProgram(objects)).toMatchSnapshot();
});

test('with the operator: its listener is off, its user is used, and it applies what resources say', () => {
  const { chart } = testCluster({ configReconciler: ConfigReconciling.own(), version: '16.1.0' });
  const objects = synthesise(chart);
  expect(find(objects, 'Infinispan').spec.configListener).toEqual({ enabled: false });
  expect(clusters(objects)).toEqual([expect.objectContaining({
    operator: true, direction: 'server-to-resources', secret: 'sessions-generated-operator-secret', url: 'http://sessions-admin.caches.svc:11223',
  })]);
  expect(rulesOf(objects)).toEqual([
    'list,watch,create,patch,delete infinispan.org/caches',
    'list,watch infinispan.org/infinispans sessions',
    'create events.k8s.io/events',
    'list,watch secrets sessions-generated-operator-secret',
  ]);
});

test('one for several clusters of a namespace, of whatever kind', () => {
  const { chart, reconciler } = shared();
  const common = { usersSecret: 'users', clientCredentialsSecret: 'client', storage: CacheStorage.ephemeral(), deploymentMode: STATEFUL_SET };
  new CacheCluster(chart, 'A', { ...common, configReconciler: ConfigReconciling.shared(reconciler) });
  new CacheCluster(chart, 'B', { ...common, configReconciler: ConfigReconciling.shared(reconciler, { paused: true, direction: ConfigDirection.SERVER_TO_RESOURCES }) });
  new CacheCluster(chart, 'C', { ...common, endpointAuthentication: false, usersSecret: undefined, clientCredentialsSecret: undefined, configReconciler: ConfigReconciling.shared(reconciler) });
  new CacheCluster(chart, 'D', { configReconciler: ConfigReconciling.shared(reconciler) });
  reconciler.addCluster(CacheCluster.fromName(chart, 'E', 'of-operator'));
  reconciler.addCluster(CacheCluster.fromName(chart, 'F', 'of-helm', { deploymentMode: STATEFUL_SET, caSecret: 'helm-ca' }), {
    url: 'https://of-helm:11222', credentialsSecret: 'helm-users',
  });
  const objects = synthesise(chart);
  expect(objects.filter(({ kind }) => kind === 'Deployment').length).toBe(1);
  expect(clusters(objects, 'reconciler').map(({ name, url, secret, caFile, direction }) => [name, url, secret, caFile, direction])).toEqual([
    ['a', 'http://a-admin.caches.svc:11223', 'client', undefined, 'both'],
    ['b', 'http://b-admin.caches.svc:11223', 'client', undefined, 'server-to-resources'],
    ['c', 'http://c-admin.caches.svc:11223', undefined, undefined, 'both'],
    ['d', 'http://d-admin.caches.svc:11223', 'd-generated-operator-secret', undefined, 'server-to-resources'],
    ['of-operator', 'http://of-operator-admin.caches.svc:11223', 'of-operator-generated-operator-secret', undefined, 'server-to-resources'],
    ['of-helm', 'https://of-helm:11222', 'helm-users', '/etc/config-reconciler-ca/of-helm/ca.crt', 'both'],
  ]);
  const { volumes, containers } = find(objects, 'Deployment').spec.template.spec;
  const ca = volumes.find(({ secret }: any) => secret?.secretName === 'helm-ca');
  expect(containers[0].volumeMounts).toContainEqual({ name: ca.name, mountPath: '/etc/config-reconciler-ca/of-helm', readOnly: true });
  expect(rulesOf(objects)).toEqual([
    'list,watch,create,patch,delete infinispan.org/caches',
    'patch infinispan.org/caches/status',
    'list,watch infinispan.org/infinispans d,of-operator',
    'create events.k8s.io/events',
    'list,watch secrets client,d-generated-operator-secret,of-operator-generated-operator-secret,helm-users',
  ]);
});

test('clusters come and go without a restart', () => {
  const deployment = (names: string[]) => {
    const { chart, reconciler } = shared();
    names.forEach((name) => reconciler.addCluster(CacheCluster.fromName(chart, name, name)));
    return find(synthesise(chart), 'Deployment');
  };
  expect(deployment(['a', 'b'])).toEqual(deployment(['c']));
});

test('an image with a program of its own', () => {
  const { spec } = find(own(synthesise(reconciled({ image: 'registry.example.com/config-reconciler:1' }).chart)), 'Deployment').spec.template;
  expect(spec.containers[0]).toMatchObject({
    image: 'registry.example.com/config-reconciler:1',
    args: ['--config=/etc/config-reconciler/config.json', '--port=8080'],
    env: [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=1 --max-old-space-size=64 --v8-pool-size=1' }],
  });
  expect(spec.containers[0]).not.toHaveProperty('command');
  // Node takes few of its options from there.
  const limit = execFileSync(process.execPath, ['-p', 'v8.getHeapStatistics().heap_size_limit / 2 ** 20'], { env: { NODE_OPTIONS: spec.containers[0].env[0].value }, encoding: 'utf8' });
  expect(Number(limit)).toBeLessThan(72);
  expect(spec.volumes.map(({ name }: any) => name)).toEqual(['configuration']);
});

test('the program is immutable, and its name changes with it', () => {
  const objects = synthesise(reconciled().chart);
  const program = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && /-program-/.test(metadata.name));
  expect(program.immutable).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(program))).toBeLessThan(240 * 1024);
  const volume = find(objects, 'Deployment').spec.template.spec.volumes.find(({ name }: any) => name === 'program');
  expect(volume.configMap.name).toBe(program.metadata.name);
});

test('annotations by which Prometheus finds it', () => {
  const { template } = find(synthesise(reconciled({ metrics: AgentMetrics.annotations() }).chart), 'Deployment').spec;
  expect(template.metadata.annotations).toEqual({
    'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080', 'prometheus.io/path': '/metrics', 'prometheus.io/scheme': 'http',
  });
});

describe('the servers\' NetworkPolicy', () => {
  const ingress = (chart: Chart) => find(synthesise(chart), 'NetworkPolicy').spec.ingress;
  const from = { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'config-reconciler', 'app.kubernetes.io/instance': 'sessions-reconciler', 'app.kubernetes.io/component': 'reconciler' } } };

  test('lets it in by the administrative port', () => {
    expect(ingress(reconciled().chart)).toContainEqual({ from: [from], ports: [{ protocol: 'TCP', port: 11223 }] });
  });

  test.each([['https://sessions:11222', 11222], ['https://sessions', 443]])('or by that of %s', (url, port) => {
    const { chart } = reconciled({ url }, { networkPolicy: { clients: [NetworkPeer.namespace('web')] } });
    expect(ingress(chart)).toContainEqual({ from: [from], ports: [{ protocol: 'TCP', port }] });
  });

  test('and nobody else who was not let in before', () => {
    expect(ingress(reconciled().chart).length).toBe(ingress(testCluster({ deploymentMode: STATEFUL_SET }).chart).length + 1);
  });
});

test('it is what network policies and selectors take', () => {
  const { chart, reconciler } = shared();
  reconciler.addCluster(CacheCluster.fromName(chart, 'A', 'a'));
  new NetworkPolicy(chart, 'Policy', { selector: Pods.all(chart, 'All'), egress: { rules: [{ peer: reconciler, ports: [] }] } });
  expect(find(synthesise(chart), 'NetworkPolicy').spec.egress[0].to[0].podSelector.matchLabels).toEqual(reconciler.podLabels);
});

test('a version that tells of counters by pods is listened to by pods, where there are definitions', () => {
  const perPod = (version: string, counter: boolean) => {
    const { chart, cluster } = reconciled({}, { version, storage: CacheStorage.ephemeral() });
    if (counter) cluster.addCounter('visits');
    const objects = synthesise(chart);
    return [clusters(objects)[0].perPod, rulesOf(objects).some((rule) => rule.includes('endpointslices'))];
  };
  expect(perPod('16.2.0', true)).toEqual(['sessions-admin', true]);
  expect(perPod('16.2.0', false)).toEqual([undefined, false]);
  expect(perPod('16.1.9', true)).toEqual([undefined, false]);
});

/** A cluster in some namespace with a reconciler in a chart without one. */
function serveUnplaced(namespace?: string): any[] {
  const chart = new Chart(new App(), 'test');
  const reconciler = new ConfigReconciler(chart, 'A');
  new CacheCluster(chart, 'Sessions', { namespace, configReconciler: ConfigReconciling.shared(reconciler) });
  return synthesise(chart);
}

test('a namespace need not be known', () => {
  const objects = serveUnplaced();
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => undefined));
  expect(find(objects, 'RoleBinding').subjects).toEqual([{ kind: 'ServiceAccount', name: 'a' }]);
  expect(clusters(objects, 'a')[0].url).toBe('http://sessions-admin:11223');
});

test('a reconciler without clusters is warned of', () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  synthesise(shared().chart);
  expect(write.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('[test/Reconciler] it serves no cluster')]);
  write.mockRestore();
});

describe('fails', () => {
  const stateful = (chart: Chart, more = {}) => CacheCluster.fromName(chart, 'Other', 'other', { deploymentMode: STATEFUL_SET, ...more });
  const serve = (options = {}, more = {}) => {
    const { chart, reconciler } = shared();
    reconciler.addCluster(stateful(chart, { clientCredentialsSecret: 'client', ...more }), options);
  };
  const failing: [string, () => unknown, string | RegExp][] = [
    ['a direction that the operator has taken', () => testCluster({ configReconciler: ConfigReconciling.own({ direction: ConfigDirection.BOTH }) }), '[test/Sessions] direction BOTH of cluster sessions: its operator gives the servers what resources say'],
    ['a removal that nothing would carry out', () => serve({ direction: ConfigDirection.SERVER_TO_RESOURCES, removal: ConfigRemoval.REMOVE }), 'removal REMOVE of cluster other has no effect with direction SERVER_TO_RESOURCES'],
    ['no credentials where there is authentication', () => reconciled({}, { clientCredentialsSecret: undefined }), '[test/Sessions] a ConfigReconciler of cluster sessions needs a user who may do everything'],
    ['no credentials for another address of the operator\'s servers', () => testCluster({ configReconciler: ConfigReconciling.own({ url: 'http://a:11222' }) }), 'needs a user who may do everything'],
    ['credentials where there is no authentication', () => serve({ credentialsSecret: 'a' }, { endpointAuthentication: false, clientCredentialsSecret: undefined }), 'credentialsSecret of cluster other has no effect'],
    ['another namespace', () => serve({}, { namespace: 'shop' }), '[test/Reconciler] cluster other is in namespace shop, but its reconciler reconciler in namespace caches'],
    ['a namespace that nobody knows beside one that is known', () => serveUnplaced('caches'), 'cluster sessions is in namespace caches, but its reconciler a in one that is not known at synth'],
    ['a certificate that nothing would read', () => serve({ caSecret: 'a' }), 'caSecret of cluster other has no effect without an url of https'],
    ['a name in a certificate that nothing would read', () => serve({ serverName: 'a' }), 'serverName of cluster other has no effect'],
    ['an address with a path', () => serve({ url: 'http://a:11222/rest' }), 'url of cluster other must be such as https://infinispan:11222, without a user or a path, given "http://a:11222/rest"'],
    ['an address with a password', () => serve({ url: 'http://a:b@c:11222' }), 'without a user or a path'],
    ['two images', () => shared({ image: 'a', nodeImage: 'b' }), 'nodeImage b has no effect with image a'],
    ['a name that no object can have', () => shared({ reconcilerName: 'A B' }), 'reconcilerName (by default the id of the construct) must be a DNS label'],
    ['labels that identify the pod', () => shared({ labels: { 'app.kubernetes.io/component': 'a' } }), 'labels must not contain app.kubernetes.io/component'],
    ['a request above the limit', () => shared({ resources: { memoryRequest: '1Gi' } }), 'request of memory of a ConfigReconciler must not be above its limit'],
    ['an override that fits nothing', () => shared({ objectOverrides: [{ kind: 'Service', metadata: { name: 'a' } }] }), 'objectOverrides name Service/a, which is not emitted'],
    ['a cluster twice', () => {
      const { chart, reconciler } = shared();
      const cluster = stateful(chart, { clientCredentialsSecret: 'client' });
      reconciler.addCluster(cluster);
      reconciler.addCluster(cluster);
    }, 'cluster other has a reconciler already'],
    ['a cluster that another app reconciles', () => serve({}, { reconciledElsewhere: true }), 'cluster other has a reconciler already'],
    ['a cluster of this app that was not told', () => {
      const { chart, cluster } = testCluster();
      new ConfigReconciler(chart, 'Reconciler').addCluster(cluster);
    }, '[test/Reconciler] cluster sessions is made in this app, so it must be told before anything is added to it: give it configReconciler'],
    ['definitions that were switched off', () => reconciled({ definitions: false }).cluster.addCounter('a'), 'definitions false of reconciler sessions-reconciler: nothing would apply what is added to cluster sessions'],
    ['what stays in the servers\' configuration and is not there', () => {
      const { chart, reconciler } = shared();
      const cluster = stateful(chart, { clientCredentialsSecret: 'client' });
      reconciler.addCluster(cluster, { direction: ConfigDirection.SERVER_TO_RESOURCES });
      cluster.addCache('a', { configuration: CacheConfiguration.local() });
    }, 'or have a reconciler serve it'],
  ];
  test.each(failing)('%s', (_, make, error) => {
    expect(make).toThrow(error);
  });

  test('two reconcilers of one cluster', () => {
    const { chart, reconciler } = shared();
    reconciler.addCluster(CacheCluster.fromName(chart, 'A', 'a'));
    new ConfigReconciler(chart, 'Second').addCluster(CacheCluster.fromName(chart, 'Also A', 'a'));
    expect(() => synthesise(chart)).toThrow(
      'the reconciler of cluster a in namespace caches is claimed more than once in this app, by test/Reconciler and test/Second: two would fight; let one of them serve it');
  });

  test('the operator\'s listener beside it, whoever switches it on', () => {
    const { chart, cluster } = testCluster({ configReconciler: ConfigReconciling.own() });
    cluster.resource.addJsonPatch({ _toJson: () => ({ op: 'replace', path: '/spec/configListener/enabled', value: true }) } as any);
    expect(() => synthesise(chart)).toThrow('spec.configListener.enabled of Infinispan sessions must be false: its ConfigReconciler and the operator\'s listener would fight');
  });
});

test('charts of several Kubernetes clusters may have the same one', () => {
  const acknowledge = ['SEVERAL_CLUSTERS' as any];
  const { chart } = testCluster({ deploymentMode: OPERATOR, configReconciler: ConfigReconciling.own(), acknowledge });
  const second = new Chart(chart.node.root as any, 'second', { namespace: 'caches' });
  new CacheCluster(second, 'Sessions', { configReconciler: ConfigReconciling.own(), acknowledge });
  expect(() => synthesise(chart)).not.toThrow();
});
