import { Duration } from 'cdk8s';
import { EnvValue } from 'cdk8s-plus-28';
import { clusterObjects } from './caches';
import {
  CacheClientCertificates, CacheConfigListenerLogLevel, CacheExpose, CacheLibrary, CacheLogLevel, CacheMonitoring,
  CachePermission, CacheSiteExposeType, CacheSiteTlsProtocol, CacheStorage, CacheTls, CacheUpgradeStrategy, ConfigReconciling,
  NodeRequirement, Toleration,
} from '../../lib';
import { find } from '../support/synth';

test('by default, one Infinispan resource that leaves nothing to the operator that matters', () => {
  const objects = clusterObjects();
  expect(objects.map(({ kind }) => kind)).toEqual(['Infinispan']);
  expect(objects[0].spec).toMatchObject({
    replicas: 3,
    container: { memory: '1Gi' },
    service: { type: 'DataGrid', container: { storage: '1Gi' } },
    security: { endpointAuthentication: true, authorization: { enabled: true }, endpointEncryption: { type: 'None' } },
    upgrades: { type: 'Shutdown' },
    configListener: { enabled: false },
  });
  expect(objects[0].metadata.annotations).toEqual({ 'infinispan.org/monitoring': 'false' });
  expect(objects).toMatchSnapshot();
});

test('everything that it can have', () => {
  const objects = clusterObjects({
    clusterName: 'orders',
    namespace: 'shop',
    replicas: 5,
    version: '15.2.6',
    previousVersion: '15.2.1',
    operatorVersion: '2.5.14',
    image: 'registry.example.com/infinispan:15.2.6',
    serviceAccountName: 'orders',
    storage: CacheStorage.persistent({ size: '8Gi', storageClassName: 'fast' }),
    resources: { cpuRequest: '500m', cpuLimit: '2', memoryRequest: '2Gi', memoryLimit: '4Gi' },
    usersSecret: 'orders-users',
    tls: CacheTls.fromSecret('orders-tls', { clientCertificates: CacheClientCertificates.AUTHENTICATE, clientCertificatesSecret: 'orders-clients' }),
    roles: [{ name: 'shop', permissions: [CachePermission.READ, CachePermission.WRITE] }],
    expose: CacheExpose.route({ host: 'orders.example.com', annotations: { a: 'b' } }),
    nodes: [NodeRequirement.in('disk', ['ssd'])],
    tolerations: [Toleration.exists('memory')],
    spreadWeight: 50,
    topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }],
    priorityClassName: 'high',
    logCategories: { 'org.jgroups': CacheLogLevel.WARN },
    logPattern: '%m%n',
    monitoring: CacheMonitoring.serviceMonitor({ labels: { release: 'prometheus' } }),
    labels: { team: 'shop' },
    annotations: { 'example.com/owner': 'shop' },
    podAnnotations: { 'example.com/pod': 'yes' },
    livenessProbe: { period: Duration.seconds(20) },
    readinessProbe: { failureThreshold: 2 },
    startupProbe: { initialDelay: Duration.seconds(0) },
    terminationGracePeriod: Duration.minutes(2),
    upgradeStrategy: CacheUpgradeStrategy.SHUTDOWN,
    jvmOptions: ['-Xlog:gc', '-XX:+UseZGC'],
    cliJvmOptions: ['-Xmx64m'],
    routerJvmOptions: ['-Xmx128m'],
    environment: { MODE: EnvValue.fromValue('test') },
    libraries: [CacheLibrary.fromMaven('org.postgresql:postgresql:42.7.4', 'sha256:abc'), CacheLibrary.fromUrl('https://example.com/a.jar')],
    librariesVolumeClaim: 'libraries',
    serverConfiguration: '<infinispan/>',
    sites: {
      local: {
        name: 'LON',
        expose: CacheSiteExposeType.ROUTE,
        routeHostName: 'lon.example.com',
        maxRelayNodes: 2,
        suspectEvents: true,
        routerResources: { memoryLimit: '256Mi' },
        heartbeatInterval: Duration.seconds(5),
        encryption: {
          protocol: CacheSiteTlsProtocol.TLS_1_3,
          transportKeyStore: { secretName: 't', alias: 'a', filename: 'f' },
          routerKeyStore: { secretName: 'r' },
          trustStore: { secretName: 's' },
        },
      },
      locations: [{ name: 'NYC', url: 'infinispan+xsite://nyc.example.com:7900', clusterName: 'orders', namespace: 'shop' }],
    },
    configReconciler: ConfigReconciling.operatorListener({ logLevel: CacheConfigListenerLogLevel.ERROR, serviceAccountName: 'listener', resources: { memoryLimit: '128Mi' } }),
    objectOverrides: [{ kind: 'Infinispan', metadata: { name: 'orders' }, spec: { security: { credentialStoreSecretName: 'store' } } }],
  });
  const { spec, metadata } = find(objects, 'Infinispan', 'orders');
  expect(spec.container).toMatchObject({ cpu: '2:500m', memory: '4Gi:2Gi', extraJvmOpts: '-Xlog:gc -XX:+UseZGC' });
  expect(spec.configListener).toMatchObject({ enabled: true, cpu: '500m:100m', memory: '128Mi:64Mi', logging: { level: 'error' } });
  expect(spec.configMapName).toBe('orders-overlay');
  expect(find(objects, 'ConfigMap', 'orders-overlay').data).toEqual({ 'infinispan-config.xml': '<infinispan/>' });
  expect(metadata.annotations).toMatchObject({
    'infinispan.org/targetLabels': 'team',
    'infinispan.org/podTargetLabels': 'team',
    'infinispan.org/podTargetAnnotations': 'example.com/pod',
    'infinispan.org/monitoring': 'true',
    'infinispan.org/serviceMonitorTargetLabels': 'release',
    'example.com/pod': 'yes',
  });
  // The operator copies what it is told to from here.
  for (const key of ['team', 'release']) expect(metadata.labels).toHaveProperty(key);
  expect(objects).toMatchSnapshot();
});

test('ephemeral storage, and a certificate of the platform', () => {
  const [{ spec }] = clusterObjects({ storage: CacheStorage.ephemeral(), tls: CacheTls.fromService('service.beta.openshift.io', 'sessions-tls') });
  expect(spec.service.container).toMatchObject({ ephemeralStorage: true });
  expect(spec.service.container).not.toHaveProperty('storage');
  expect(spec.security.endpointEncryption).toEqual({
    type: 'Service', certServiceName: 'service.beta.openshift.io', certSecretName: 'sessions-tls', clientCert: 'None',
  });
});

test('the volume has room for the memory unless a size is given', () => {
  const storage = (memoryLimit: string) => clusterObjects({ resources: { memoryLimit } })[0].spec.service.container.storage;
  expect([storage('512Mi'), storage('2Gi')]).toEqual(['1Gi', '2Gi']);
});
