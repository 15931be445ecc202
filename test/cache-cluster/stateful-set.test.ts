import { execFileSync } from 'child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { Duration } from 'cdk8s';
import { clusterObjects, STATEFUL_SET } from './caches';
import {
  CacheAcknowledgement, CacheClientCertificates, CacheConfiguration, CacheConfigurationFormat, CacheCounterStorage, CacheCounterType, CacheExpose,
  CacheLibrary, CacheLogLevel, CacheMonitoring, CachePermission, CacheStorage, CacheTls, DisruptionBudget, NetworkPeer,
} from '../../lib';
import { find } from '../support/synth';

const stateful = { deploymentMode: STATEFUL_SET };
const acknowledge = [CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE];
const pod = (objects: any[]) => find(objects, 'StatefulSet').spec.template.spec;
const server = (objects: any[]) => pod(objects).containers[0];
const configuration = (objects: any[]) => find(objects, 'ConfigMap').data;

test('by default, servers that keep entries while one of them is gone', () => {
  const objects = clusterObjects(stateful);
  expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
    'ConfigMap/sessions-configuration', 'StatefulSet/sessions', 'Service/sessions', 'Service/sessions-admin', 'Service/sessions-ping',
    'PodDisruptionBudget/sessions', 'NetworkPolicy/sessions',
  ]);
  expect(objects).toMatchSnapshot();
});

test('servers find each other by DNS, whatever the domain of the cluster', () => {
  const objects = clusterObjects(stateful);
  expect(server(objects).args).toContain('-Djgroups.dns.query=sessions-ping');
  expect(find(objects, 'StatefulSet').spec.serviceName).toBe('sessions-ping');
  expect(find(objects, 'Service', 'sessions-ping').spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  expect(configuration(objects)['infinispan.xml']).toContain('stack="kubernetes"');
  expect(JSON.stringify(objects)).not.toContain('cluster.local');
});

test('only servers reach the ports between servers; nobody the administrative one unless asked for', () => {
  const ports = (rule: any) => rule.ports.map(({ port }: any) => port);
  const [own, clients, ...others] = find(clusterObjects(stateful), 'NetworkPolicy').spec.ingress;
  expect([ports(own), own.from]).toEqual([[7800, 57800, 11222, 11223], [{ podSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/instance': 'sessions' }) } }]]);
  expect([ports(clients), clients.from, others]).toEqual([[11222], undefined, []]);
  const asked = { clients: [NetworkPeer.pods({ app: 'web' })], administrators: [NetworkPeer.namespace('monitoring')] };
  const rules = find(clusterObjects({ ...stateful, networkPolicy: asked }), 'NetworkPolicy').spec.ingress;
  expect(rules.slice(1).map((rule: any) => [ports(rule), rule.from.length])).toEqual([[[11222], 1], [[11223], 1]]);
  expect(find(clusterObjects({ ...stateful, networkPolicy: { clients: [] } }), 'NetworkPolicy').spec.ingress).toHaveLength(1);
});

test('no password stands in the manifest; the Secret is mounted', () => {
  const objects = clusterObjects(stateful);
  expect(pod(objects).volumes).toContainEqual({
    name: 'users',
    secret: {
      secretName: 'sessions-users',
      defaultMode: 0o440,
      optional: false,
      items: [{ key: 'users.properties', path: 'users.properties' }, { key: 'groups.properties', path: 'groups.properties' }],
    },
  });
  expect(objects.some(({ kind }) => kind === 'Secret')).toBe(false);
});

test('without authentication there is neither a realm nor a Secret', () => {
  const objects = clusterObjects({ ...stateful, endpointAuthentication: false });
  expect(configuration(objects)['infinispan.xml']).not.toMatch(/realm|authorization/);
  expect(pod(objects).volumes.map(({ name }: any) => name)).not.toContain('users');
});

test('TLS, roles, exposure, metrics, libraries and the rest', () => {
  const objects = clusterObjects({
    ...stateful,
    version: '16.1.4',
    clientCredentialsSecret: 'sessions-client',
    tls: CacheTls.fromSecret('sessions-tls', { clientCertificates: CacheClientCertificates.VALIDATE, clientCertificatesSecret: 'clients' }),
    roles: [{ name: 'shop', permissions: [CachePermission.READ, CachePermission.WRITE] }],
    expose: CacheExpose.loadBalancer({ port: 443, annotations: { a: 'b' } }),
    monitoring: CacheMonitoring.serviceMonitor({ labels: { release: 'prometheus' }, interval: Duration.seconds(15) }),
    libraries: [CacheLibrary.fromMaven('org.postgresql:postgresql:42.7.4', 'sha256:abc'), CacheLibrary.fromUrl('https://example.com/a.jar', 'md5:def')],
    logCategories: { 'org.jgroups': CacheLogLevel.DEBUG },
    storage: CacheStorage.ephemeral({ sizeLimit: '2Gi' }),
    disruptionBudget: DisruptionBudget.none(),
    serverConfiguration: 'infinispan: ~\n',
    jvmOptions: ['-XX:+UseZGC'],
    imagePullSecrets: ['registry'],
    labels: { team: 'shop' },
    podOverrides: { spec: { containers: [{ name: 'infinispan', env: [{ name: 'EXTRA', value: '1' }] }] } },
  });
  expect(server(objects).image).toBe('quay.io/infinispan/server:16.1.4');
  expect(server(objects).readinessProbe.httpGet.path).toBe('/rest/v2/container/health/ready');
  expect(server(objects).livenessProbe.httpGet.path).toBe('/rest/v2/container/health/live');
  expect(server(objects).env).toContainEqual({ name: 'SERVER_LIBS', value: 'org.postgresql:postgresql:42.7.4|SHA-256|abc https://example.com/a.jar|MD5|def' });
  expect(server(objects).args.slice(0, 3)).toEqual(['infinispan.xml', 'own.yaml', 'caches.xml'].map((file) => `--server-config=/etc/infinispan/${file}`));
  expect(objects.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(false);
  expect(find(objects, 'ServiceMonitor').spec.endpoints[0]).toMatchObject({ interval: '15s', basicAuth: { username: { name: 'sessions-client', key: 'username' } } });
  expect(pod(objects).volumes).toContainEqual({ name: 'data', emptyDir: { sizeLimit: '2Gi' } });
  expect(objects).toMatchSnapshot();
});

test('an older server is probed by its state, since it has no other endpoint', () => {
  const { readinessProbe, livenessProbe, image } = server(clusterObjects({ ...stateful, version: '15.0.22' }));
  expect([readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual(Array(2).fill('/rest/v2/container/health/status'));
  expect(image).toBe('quay.io/infinispan/server:15.0.22.Final');
});

describe('caches, templates and counters', () => {
  const objects = () => clusterObjects({ ...stateful, acknowledge }, (cluster) => {
    cluster.addTemplate('two owners', { configuration: CacheConfiguration.distributed() });
    cluster.addCache('Orders & more / "ü"', { template: 'two owners' });
    cluster.addCache('typed', { configuration: CacheConfiguration.replicated({ format: CacheConfigurationFormat.JSON }) });
    cluster.addCache('xml', { configuration: CacheConfiguration.raw('<?xml version="1.0"?>\n<!-- mine -->\n<distributed-cache owners="2"/>\n') });
    cluster.addCache('$1', { configuration: CacheConfiguration.raw('<local-cache/>') });
    cluster.addCache('json', { configuration: CacheConfiguration.raw('{"distributed-cache":{"owners":2}}') });
    cluster.addCache('yaml', { configuration: CacheConfiguration.raw('# mine\ndistributedCache:\n  owners: 2\n') });
    cluster.addCounter('visits', { type: CacheCounterType.WEAK, storage: CacheCounterStorage.PERSISTENT });
    cluster.addCounter('stock', { initialValue: 5, lowerBound: 0, upperBound: 10 });
  });

  test('stand in the servers\' configuration, each in the format that it has', () => {
    const { 'infinispan.xml': _, 'log4j2.xml': __, ...files } = configuration(objects());
    expect(files).toMatchSnapshot();
    expect(server(objects()).args.filter((arg: string) => arg.startsWith('--server-config')).map((arg: string) => arg.split('/').pop()))
      .toEqual(['infinispan.xml', 'caches.xml', 'caches.json', 'caches.yaml']);
  });

  test('a change of one changes the pods', () => {
    const checksum = (owners: number) => find(clusterObjects({ ...stateful, acknowledge }, (cluster) => {
      cluster.addCache('a', { configuration: CacheConfiguration.distributed({ owners }) });
    }), 'StatefulSet').spec.template.metadata.annotations['cdk8s-platform-services/configuration-checksum'];
    expect(checksum(2)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(2)).not.toBe(checksum(3));
  });
});

/** Runs a script of the manifest with the real shell, with its paths and port put elsewhere. */
function shell(script: string, replacements: Record<string, string> = {}): string {
  const own = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, to), script);
  return execFileSync('sh', ['-c', own], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

describe('the storage guard', () => {
  const script = (size: string) => pod(clusterObjects({ ...stateful, storage: CacheStorage.persistent({ size }), resources: { memoryLimit: '1Ki', memoryRequest: '1Ki' } }))
    .initContainers.find(({ name }: any) => name === 'storage-guard').command[2];
  let folder: string;
  beforeEach(() => folder = mkdtempSync(join(tmpdir(), 'guard-')));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const data = () => ({ '/opt/infinispan/server/data': folder });

  test('keeps a twentieth of the volume back, once', () => {
    shell(script('1Mi'), data());
    expect(statSync(join(folder, '.reserve')).size).toBe(Math.ceil(2 ** 20 / 20 / 1024) * 1024);
    writeFileSync(join(folder, '.reserve'), 'kept');
    expect(shell(script('1Mi'), data())).toBe('');
    expect(readFileSync(join(folder, '.reserve'), 'utf8')).toBe('kept');
  });

  test('gives it up when there is no room, and says so', () => {
    writeFileSync(join(folder, '.reserve'), 'reserve');
    expect(shell(script('1000Ti'), data())).toContain('its reserve was given up');
    expect(existsSync(join(folder, '.reserve'))).toBe(false);
  });
});

describe('before a server stops', () => {
  const { command: [, , hook] } = server(clusterObjects(stateful)).lifecycle.preStop.exec;

  /** `curl` and `wget` that say one thing after the other; the last one goes on. */
  function ask(answers: string[], grace = '270'): number {
    const folder = mkdtempSync(join(tmpdir(), 'hook-'));
    try {
      writeFileSync(join(folder, 'answers'), answers.join('\n') + '\n');
      const next = `n=$(cat ${folder}/n 2>/dev/null || echo 1); echo $((n+1)) > ${folder}/n; a=$(sed -n "$n"p ${folder}/answers); [ -n "$a" ] || exit 7; echo "$a"`;
      for (const name of ['curl', 'wget']) writeFileSync(join(folder, name), `#!/bin/sh\n${name === 'curl' ? next : 'exit 1'}\n`, { mode: 0o755 });
      writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
      execFileSync('sh', ['-c', hook.replace('-lt 270', `-lt ${grace}`)], { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
      return Number(readFileSync(join(folder, 'n'), 'utf8')) - 1;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('it waits until all entries have their owners', () => {
    expect(ask(['HEALTHY_REBALANCING', 'HEALTHY_REBALANCING', 'HEALTHY', 'HEALTHY_REBALANCING'])).toBe(3);
  });

  test('it does not wait when it does not answer, nor longer than its grace period', () => {
    expect(ask([])).toBe(1);
    expect(ask(Array(20).fill('DEGRADED'), '5')).toBe(6);
  });

  test('30 seconds of the grace period are left to stop', () => {
    const { command } = server(clusterObjects({ ...stateful, terminationGracePeriod: Duration.seconds(100) })).lifecycle.preStop.exec;
    expect(command[2]).toContain('-lt 70');
  });
});
