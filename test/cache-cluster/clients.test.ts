import { ApiObject, Chart } from 'cdk8s';
import { Deployment } from 'cdk8s-plus-28';
import { OPERATOR, STATEFUL_SET, testCluster } from './caches';
import { CaBundle, CacheClientOptions, CacheCluster, CacheClusterProps, CacheProtocol, CacheTls } from '../../lib';
import { find, synthesise } from '../support/synth';

const credentials = { clientCredentialsSecret: 'sessions-client' };

/** A client of a cluster in its namespace, as it is synthesised. */
function client(props: CacheClusterProps = credentials, options: CacheClientOptions = {}, namespace = 'caches'): any {
  const { chart, cluster } = testCluster(props);
  const own = new Chart(chart.node.root as any, 'client', { namespace });
  const web = new Deployment(own, 'Web', { metadata: { name: 'web' }, containers: [{ image: 'web' }] });
  cluster.addClient(web, options);
  synthesise(chart);
  return ApiObject.of(web).toJson().spec.template.spec;
}

const variables = (pod: any) => Object.fromEntries(pod.containers[0].env.map(({ name, value, valueFrom }: any) => [name, value ?? valueFrom]));

test('a client gets address, port and credentials by reference', () => {
  expect(variables(client())).toEqual({
    INFINISPAN_HOST: 'sessions.caches.svc',
    INFINISPAN_PORT: '11222',
    INFINISPAN_URL: 'hotrod://sessions.caches.svc:11222',
    INFINISPAN_USERNAME: { secretKeyRef: { name: 'sessions-client', key: 'username' } },
    INFINISPAN_PASSWORD: { secretKeyRef: { name: 'sessions-client', key: 'password' } },
  });
});

test.each([
  [CacheProtocol.HOT_ROD, 'hotrod:', 'hotrods:'], [CacheProtocol.REST, 'http:', 'https:'], [CacheProtocol.RESP, 'redis:', 'rediss:'],
])('the address of %s says whether there is TLS', (protocol, plain, secure) => {
  const url = (tls?: CacheTls) => variables(client({ ...credentials, tls }, { protocol })).INFINISPAN_URL;
  expect(url()).toBe(`${plain}//sessions.caches.svc:11222`);
  expect(url(CacheTls.fromSecret('sessions-tls'))).toBe(`${secure}//sessions.caches.svc:11222`);
});

test('Memcached has no address but host and port', () => {
  expect(variables(client(credentials, { protocol: CacheProtocol.MEMCACHED }))).not.toHaveProperty('INFINISPAN_URL');
});

test('with TLS it gets the certificates as a file', () => {
  const pod = client({ ...credentials, tls: CacheTls.fromSecret('sessions-tls') });
  expect(variables(pod).INFINISPAN_CA_FILE).toBe('/etc/infinispan/sessions/ca.crt');
  expect(pod.containers[0].volumeMounts).toEqual([{ mountPath: '/etc/infinispan/sessions', name: 'sessions-ca', readOnly: true }]);
  expect(pod.volumes).toEqual([{ name: 'sessions-ca', secret: { secretName: 'sessions-tls', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }]);
  const own = client({ ...credentials, tls: CacheTls.fromSecret('sessions-tls', { caSecret: 'authority' }) });
  expect(own.volumes[0].secret.secretName).toBe('authority');
  expect(variables(client({ ...credentials, tls: CacheTls.fromSecret('a') }, { caBundle: CaBundle.ofClient() }))).not.toHaveProperty('INFINISPAN_CA_FILE');
});

test.each([
  [OPERATOR, { app: 'infinispan-pod', infinispan_cr: 'sessions', clusterName: 'sessions' }],
  [STATEFUL_SET, { 'app.kubernetes.io/name': 'infinispan', 'app.kubernetes.io/instance': 'sessions', 'app.kubernetes.io/component': 'server' }],
])('in mode %s it is drawn to the pods of the servers, by preference', (deploymentMode, matchLabels) => {
  expect(client({ ...credentials, deploymentMode }).affinity).toEqual({
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels } } }] },
  });
  const light = client({ ...credentials, deploymentMode }, { weight: 10 }).affinity;
  expect(light.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight).toBe(10);
});

test('variables may have other names, and some containers only', () => {
  const pod = client(credentials, { variables: { INFINISPAN_URL: 'CACHE_URL' }, containers: ['main'] });
  expect(variables(pod).CACHE_URL).toBe('hotrod://sessions.caches.svc:11222');
});

test('in another namespace it has Secrets of its own, and is drawn across', () => {
  const pod = client({ ...credentials, tls: CacheTls.fromSecret('a') }, { credentialsSecret: 'copy', caBundle: CaBundle.fromConfigMap('trust') }, 'web');
  expect(variables(pod).INFINISPAN_PASSWORD.secretKeyRef.name).toBe('copy');
  expect(pod.volumes[0].configMap.name).toBe('trust');
  expect(pod.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaces).toEqual(['caches']);
});

test('a cluster that was made elsewhere has clients, too', () => {
  const { chart } = testCluster();
  const web = new Deployment(chart, 'Web', { metadata: { name: 'web' }, containers: [{ image: 'web' }] });
  CacheCluster.fromName(chart, 'Other', 'other', { namespace: 'caches', endpointAuthentication: false, clusterDomain: 'cluster.local' }).addClient(web);
  const { env } = find(synthesise(chart), 'Deployment', 'web').spec.template.spec.containers[0];
  expect(env.map(({ value }: any) => value)).toEqual(['other.caches.svc.cluster.local', '11222', 'hotrod://other.caches.svc.cluster.local:11222']);
});

describe('fails', () => {
  test.each<[string, CacheClusterProps, CacheClientOptions, string, string]>([
    ['without credentials while servers ask for some', {}, {}, 'cluster sessions asks clients who they are: name a Secret with keys username and password', 'caches'],
    ['with credentials that nobody asks for', { endpointAuthentication: false }, { credentialsSecret: 'a' }, 'credentialsSecret would do nothing', 'caches'],
    ['with certificates where there is no TLS', credentials, { caBundle: CaBundle.fromSecret('a') }, 'caBundle would do nothing: the cluster has no TLS', 'caches'],
    ['where the credentials cannot be read', credentials, {}, 'Secret sessions-client of cluster sessions cannot be read from another namespace', 'web'],
    ['where the certificates cannot be read', { ...credentials, tls: CacheTls.fromSecret('a') }, { credentialsSecret: 'b' }, 'Secret a of cluster sessions cannot be read', 'web'],
    ['with another name for no variable', credentials, { variables: { CACHE: 'a' } }, 'variables: there is no variable CACHE to call otherwise', 'caches'],
    ['with a container that it has not', credentials, { containers: ['side'] }, 'there is no container side; there are main', 'caches'],
    ['with a weight of 0', credentials, { weight: 0 }, 'weight must be a whole number from 1 to 100, given 0', 'caches'],
  ])('a client %s', (_, props, options, error, namespace) => {
    expect(() => client(props, options, namespace)).toThrow(error);
  });

  test('what is no workload', () => {
    const { chart, cluster } = testCluster(credentials);
    cluster.addClient(new ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
    expect(() => synthesise(chart)).toThrow('client test/Map holds no workload that could use caches of sessions, but v1 ConfigMap');
  });

  test('the cluster itself', () => {
    const { chart, cluster } = testCluster({ ...credentials, deploymentMode: STATEFUL_SET });
    cluster.addClient(cluster.resource);
    expect(() => synthesise(chart)).toThrow('it is the cluster sessions itself');
  });
});
