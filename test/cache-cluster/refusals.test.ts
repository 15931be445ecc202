import { clusterObjects, OPERATOR, STATEFUL_SET, testCluster } from './caches';
import {
  CacheAcknowledgement, CacheClientCertificates, CacheCluster, CacheClusterProps, CacheExpose, CacheLibrary, CacheMonitoring,
  CachePermission, CacheStorage, CacheTls, CacheUpgradeStrategy, ConfigReconciling, DisruptionBudget,
} from '../../lib';
import { testChart } from '../support/synth';

const { SHUTDOWN, IN_PLACE_ROLLING, HOT_ROD_ROLLING } = CacheUpgradeStrategy;
const stateful = { deploymentMode: STATEFUL_SET };
const role = { name: 'shop', permissions: [CachePermission.READ] };
const sites: CacheClusterProps['sites'] = { local: { name: 'LON', expose: 'ClusterIP' as any } };

/** What is refused, the error, and what is allowed instead. */
const REFUSALS: [string, CacheClusterProps, RegExp, ...CacheClusterProps[]][] = [
  ['the operator\'s listener without an operator', { ...stateful, configReconciler: ConfigReconciling.operatorListener() }, /ConfigReconciling\.operatorListener is only for deploymentMode OPERATOR/, { configReconciler: ConfigReconciling.operatorListener() }, { ...stateful, configReconciler: ConfigReconciling.none() }],
  ['an operator\'s version without an operator', { ...stateful, operatorVersion: '2.5.14' }, /operatorVersion is only for deploymentMode OPERATOR/],
  ['sites without an operator', { ...stateful, sites }, /sites is only for deploymentMode OPERATOR.*routers between sites/, { sites }],
  ['options of tools that are not there', { ...stateful, cliJvmOptions: ['-Xmx1g'] }, /cliJvmOptions is only for deploymentMode OPERATOR/],
  ['options of a router that is not there', { ...stateful, routerJvmOptions: ['-Xmx1g'] }, /routerJvmOptions is only for deploymentMode OPERATOR/],
  ['a volume of libraries without an operator', { ...stateful, librariesVolumeClaim: 'a' }, /librariesVolumeClaim is only for deploymentMode OPERATOR/],
  ['a network policy for pods of the operator', { networkPolicy: {} }, /networkPolicy is only for deploymentMode STATEFUL_SET, given OPERATOR/, { ...stateful, networkPolicy: {} }],
  ['a disruption budget for pods of the operator', { disruptionBudget: DisruptionBudget.none() }, /disruptionBudget is only for deploymentMode STATEFUL_SET/],
  ['a user for pods of the operator', { runAsUser: 1000 }, /runAsUser is only for deploymentMode STATEFUL_SET/, { ...stateful, runAsUser: 1000 }],
  ['pull secrets for pods of the operator', { imagePullSecrets: ['a'] }, /imagePullSecrets is only for deploymentMode STATEFUL_SET/],
  ['overrides for pods of the operator', { podOverrides: {} }, /podOverrides is only for deploymentMode STATEFUL_SET.*objectOverrides/],
  ['accepted changes of caches that are resources', { acceptCacheChanges: ['a'] }, /acceptCacheChanges is only for deploymentMode STATEFUL_SET/],
  ['a certificate of the platform without an operator', { ...stateful, tls: CacheTls.fromService('a', 'b') }, /CacheTls\.fromService is only for deploymentMode OPERATOR/, { tls: CacheTls.fromService('a', 'b') }],
  [
    'certificates as identities without an operator',
    { ...stateful, tls: CacheTls.fromSecret('a', { clientCertificates: CacheClientCertificates.AUTHENTICATE, clientCertificatesSecret: 'b' }) },
    /clientCertificates Authenticate is only for deploymentMode OPERATOR/,
    { ...stateful, tls: CacheTls.fromSecret('a', { clientCertificates: CacheClientCertificates.VALIDATE, clientCertificatesSecret: 'b' }) },
  ],
  ['a route without an operator', { ...stateful, expose: CacheExpose.route() }, /CacheExpose\.route is only for deploymentMode OPERATOR/, { ...stateful, expose: CacheExpose.nodePort({ nodePort: 30000 }) }],
  ['a limit of the operator\'s ephemeral storage', { storage: CacheStorage.ephemeral({ sizeLimit: '1Gi' }) }, /sizeLimit 1Gi of ephemeral storage is only for deploymentMode STATEFUL_SET/, { storage: CacheStorage.ephemeral() }],
  ['a StatefulSet that stops all servers for an upgrade', { ...stateful, upgradeStrategy: SHUTDOWN }, /upgradeStrategy Shutdown is only for deploymentMode OPERATOR/, { ...stateful, upgradeStrategy: IN_PLACE_ROLLING }],
  ['a StatefulSet with a second cluster', { ...stateful, upgradeStrategy: HOT_ROD_ROLLING }, /upgradeStrategy HotRodRolling is only for deploymentMode OPERATOR/],
  ['an upgrade over Hot Rod with sites', { sites, upgradeStrategy: HOT_ROD_ROLLING }, /HotRodRolling with sites/, { upgradeStrategy: HOT_ROD_ROLLING }],
  ['an upgrade in place of an old server', { version: '15.2.6', upgradeStrategy: IN_PLACE_ROLLING }, /upgradeStrategy InPlaceRolling needs upgrades in place, which Infinispan has from 16\.0\.0; given 15\.2\.6/, { version: '16.0.1', upgradeStrategy: IN_PLACE_ROLLING }, { upgradeStrategy: IN_PLACE_ROLLING }],
  [
    'an upgrade in place to another minor version', { version: '16.1.0', previousVersion: '16.0.1', upgradeStrategy: IN_PLACE_ROLLING },
    /InPlaceRolling from 16\.0\.1 to 16\.1\.0: only the last number/, { version: '16.1.4', previousVersion: '16.1.0', upgradeStrategy: IN_PLACE_ROLLING },
  ],
  ['a downgrade', { version: '15.2.5', previousVersion: '15.2.6' }, /version 15\.2\.5 is older than 15\.2\.6 of the last release/, { version: '15.10.0', previousVersion: '15.9.0' }],
  ['a downgrade of a StatefulSet', { ...stateful, previousVersion: '16.0.0' }, /version 15\.2\.6 is older than 16\.0\.0/],
  ['a version that is none', { version: '15.2' }, /version must have three numbers such as 15\.2\.6, given "15\.2"/],
  ['a version with a suffix, which the operator refuses', { version: '15.2.6.Final' }, /version must have three numbers/],
  ['a version that this library does not write for', { version: '14.0.30' }, /version must be 15\.0\.0 or newer, given 14\.0\.30/],
  ['no servers in a StatefulSet', { ...stateful, replicas: 0 }, /replicas must be at least 1 with deploymentMode STATEFUL_SET, given 0/, { replicas: 0 }],
  ['a fraction of a server', { replicas: 1.5 }, /replicas must be a whole number of at least 0, given 1\.5/],
  ['users without authentication', { endpointAuthentication: false, usersSecret: 'a' }, /usersSecret has no effect with endpointAuthentication false/, { endpointAuthentication: false }],
  ['credentials without authentication', { endpointAuthentication: false, clientCredentialsSecret: 'a' }, /clientCredentialsSecret has no effect/],
  ['roles for nobody', { endpointAuthentication: false, authorization: true }, /authorization needs endpointAuthentication/],
  ['roles without authorization', { authorization: false, roles: [role] }, /roles have no effect with authorization false/, { roles: [role] }],
  ['one role twice', { roles: [role, role] }, /roles name shop twice/],
  ['a role that may do nothing', { roles: [{ name: 'a', permissions: [] }] }, /role a needs at least one permission, given none/],
  ['a role with spaces', { roles: [{ ...role, name: 'a b' }] }, /a role must have a name without spaces, given "a b"/],
  [
    'a volume that the memory does not fit in', { storage: CacheStorage.persistent({ size: '1Gi' }), resources: { memoryLimit: '2Gi' } },
    /storage of 1Gi is smaller than the memory limit 2Gi: a full volume stops a server for good.*acknowledge STORAGE_BELOW_MEMORY/,
    { storage: CacheStorage.persistent({ size: '2Gi' }), resources: { memoryLimit: '2Gi' } },
    { storage: CacheStorage.persistent({ size: '1Gi' }), resources: { memoryLimit: '2Gi' }, acknowledge: [CacheAcknowledgement.STORAGE_BELOW_MEMORY] },
    { storage: CacheStorage.ephemeral(), resources: { memoryLimit: '2Gi' } },
  ],
  ['a memory request above the limit', { resources: { memoryRequest: '2Gi' } }, /request of memory of the servers must not be above its limit, given 2Gi and 1Gi/],
  ['a CPU request above the limit', { ...stateful, resources: { cpuLimit: '100m' } }, /request of CPU of the servers must not be above its limit, given 500m and 100m/, { ...stateful, resources: { cpuLimit: '1' } }],
  ['a request without the limit that the operator wants', { resources: { cpuRequest: '1' } }, /cpuRequest of the servers needs cpuLimit: the operator takes a limit, or a limit and a request, given 1/, { ...stateful, resources: { cpuRequest: '1' } }],
  ['a weight of 0', { spreadWeight: 0 }, /spreadWeight must be a whole number from 1 to 100, given 0/, { spreadWeight: 1 }],
  ['a skew of 0', { topologySpread: [{ topologyKey: 'a', maxSkew: 0 }] }, /maxSkew of topologySpread a must be a whole number of at least 1, given 0/],
  ['metrics without credentials', { ...stateful, monitoring: CacheMonitoring.serviceMonitor() }, /monitoring with endpointAuthentication needs credentialsSecret or clientCredentialsSecret/, { ...stateful, monitoring: CacheMonitoring.serviceMonitor({ credentialsSecret: 'a' }) }, { monitoring: CacheMonitoring.serviceMonitor() }],
  ['credentials for the operator\'s ServiceMonitor', { monitoring: CacheMonitoring.serviceMonitor({ credentialsSecret: 'a' }) }, /credentialsSecret of the ServiceMonitor is only for deploymentMode STATEFUL_SET/],
  ['a port of nodes that is none', { expose: CacheExpose.nodePort({ nodePort: 70000 }) }, /nodePort must be a whole number from 1 to 65535, given 70000/],
  ['a name that no Service can have', { clusterName: 'Sessions' }, /clusterName .* must be a DNS label .*, given "Sessions"/],
  ['a name that leaves no room for suffixes', { clusterName: 'a'.repeat(53) }, /clusterName must have at most 52 characters, given 53/, { clusterName: 'a'.repeat(52) }],
  ['labels that identify the pods', { labels: { clusterName: 'x' } }, /labels must not contain clusterName/, { ...stateful, labels: { clusterName: 'x' } }],
  ['a probe that Kubernetes refuses', { livenessProbe: { successThreshold: 2 } }, /successThreshold of livenessProbe must be 1, given 2/, { readinessProbe: { successThreshold: 2 } }],
  ['an override that fits nothing', { objectOverrides: [{ kind: 'Infinispan', metadata: { name: 'other' } }] }, /objectOverrides name Infinispan\/other, which is not emitted; there are Infinispan\/sessions/],
  ['a previous manifest that is not there', { previousManifest: 'no/such/file.yaml' }, /previousManifest .*no\/such\/file\.yaml does not exist/],
];

describe.each(REFUSALS)('%s', (_, props, error, ...allowed) => {
  test('fails, and the error says where, what was given and what is allowed', () => {
    expect(() => clusterObjects(props)).toThrow(error);
    expect(() => clusterObjects(props)).toThrow(/^\[test\/Sessions\] /);
  });

  if (allowed.length > 0) {
    test('has a way out', () => {
      for (const way of allowed) expect(clusterObjects(way).length).toBeGreaterThan(0);
    });
  }
});

test('a StatefulSet with authentication needs its users', () => {
  expect(() => new CacheCluster(testChart(), 'Sessions', stateful)).toThrow(
    '[test/Sessions] endpointAuthentication with deploymentMode STATEFUL_SET needs usersSecret (users.properties and groups.properties): no password is ever written into a manifest',
  );
});

test('a domain needs a namespace that is known', () => {
  expect(() => new CacheCluster(testChart(''), 'Sessions', { clusterDomain: 'cluster.local' })).toThrow('clusterDomain needs a namespace');
  expect(clusterObjects({ clusterDomain: 'cluster.local', deploymentMode: OPERATOR })).toHaveLength(1);
});

test('props that are wrong by themselves fail before a cluster is made', () => {
  expect(() => CacheTls.fromSecret('')).toThrow('secretName of the TLS Secret must not be empty');
  expect(() => CacheTls.fromService('', 'a')).toThrow('serviceName and secretName of TLS from a service must not be empty');
  expect(() => CacheTls.fromSecret('a', { clientCertificates: CacheClientCertificates.VALIDATE })).toThrow('clientCertificates Validate needs clientCertificatesSecret');
  expect(() => CacheTls.fromSecret('a', { clientCertificatesSecret: 'b' })).toThrow('clientCertificatesSecret b has no effect with clientCertificates None');
  expect(() => CacheStorage.persistent({ size: '0' })).toThrow('size of the storage must be above 0, given 0');
  expect(() => CacheStorage.persistent({ size: 'much' })).toThrow('size of the storage must be a Kubernetes quantity');
  expect(() => CacheStorage.ephemeral({ sizeLimit: 'much' })).toThrow('sizeLimit of the storage must be a Kubernetes quantity');
  expect(() => CacheLibrary.fromMaven('postgresql')).toThrow('coordinates of a library must be group:artifact:version, given "postgresql"');
  expect(() => CacheLibrary.fromUrl('file:///a.jar')).toThrow('url of a library must be an http, https or ftp address, given "file:///a.jar"');
  expect(() => CacheLibrary.fromMaven('a:b:c', 'SHA-256')).toThrow('hash of library a:b:c must be such as sha256:0123abcd, given "SHA-256"');
});

test('two clusters of one name fail, unless they go to different Kubernetes clusters', () => {
  const two = (props: CacheClusterProps) => {
    const { chart } = testCluster(props);
    new CacheCluster(chart, 'Other', { clusterName: 'sessions', ...props });
    return chart.node.findAll().flatMap((construct) => construct.node.validate());
  };
  expect(two({})).toContainEqual(expect.stringMatching(/Infinispan sessions in namespace caches is claimed more than once.*acknowledge SEVERAL_CLUSTERS/));
  expect(two({ acknowledge: [CacheAcknowledgement.SEVERAL_CLUSTERS] })).toEqual([]);
});
