import { App, Chart, Duration } from 'cdk8s';
import { Deployment } from 'cdk8s-plus-28';
import { installCustomKinds, known } from './custom-kinds';
import {
  CacheAcknowledgement, CacheBackup, CacheBatch, CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheExpose,
  CacheMonitoring, CachePermission, CacheRestore, CacheSiteExposeType, CacheTls, ConfigReconciling,
} from '../../lib';
import { ControlPlane } from '../rig/control-plane';
import { exampleObjects } from '../support/examples';
import { synthesise } from '../support/synth';

jest.setTimeout(300_000);

let plane: ControlPlane;

beforeAll(async () => {
  plane = await ControlPlane.start();
  const everyKind = [...everything('caches', CacheDeploymentMode.OPERATOR), ...everything('restricted', CacheDeploymentMode.STATEFUL_SET)];
  await installCustomKinds(plane.kubectl, everyKind);
  for (const name of ['caches', 'shop', 'restricted']) await plane.kubectl.run('create', 'namespace', name);
  await plane.kubectl.run('label', 'namespace', 'restricted', 'pod-security.kubernetes.io/enforce=restricted');
}, 240_000);

afterAll(async () => plane?.stop());

/** Everything that there is of caches in both modes. */
function everything(namespace: string, deploymentMode: CacheDeploymentMode): any[] {
  const chart = new Chart(new App(), 'test', { namespace });
  const operated = deploymentMode === CacheDeploymentMode.OPERATOR;
  const cluster = new CacheCluster(chart, 'Shop', {
    deploymentMode,
    usersSecret: 'users',
    clientCredentialsSecret: 'client',
    tls: CacheTls.fromSecret('tls'),
    roles: [{ name: 'shop', permissions: [CachePermission.ALL_READ] }],
    expose: CacheExpose.nodePort(),
    monitoring: CacheMonitoring.serviceMonitor(),
    livenessProbe: { period: Duration.seconds(20) },
    serverConfiguration: '<infinispan/>',
    acknowledge: [CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE],
    ...(operated && { configReconciler: ConfigReconciling.operatorListener(), sites: { local: { name: 'LON', expose: CacheSiteExposeType.CLUSTER_IP } } }),
  });
  cluster.addCache('Orders & more / "ü"', { configuration: CacheConfiguration.distributed() });
  cluster.addCache('raw', { configuration: CacheConfiguration.raw('<local-cache/>') });
  if (operated) {
    cluster.addSchema('book', { proto: 'syntax = "proto3";\n' });
    const { backupName } = new CacheBackup(chart, 'Nightly', { cluster, contents: { caches: ['*'] } });
    new CacheRestore(chart, 'Restored', { cluster, backupName });
    new CacheBatch(chart, 'Warm', { cluster, commands: 'ls' });
  }
  cluster.addClient(new Deployment(chart, 'Web', { metadata: { name: 'web' }, containers: [{ image: 'web' }] }));
  return synthesise(chart);
}

/** Versions of objects in the cluster, by kind and name. */
async function versions(objects: any[]): Promise<Record<string, string>> {
  const all = await Promise.all(objects.map(async ({ kind, apiVersion, metadata }) => {
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
    const found = await plane.kubectl.get(`${kind}${group}`, metadata.name, metadata.namespace);
    return [`${kind}/${metadata.name}`, String(found?.metadata.generation ?? found?.metadata.resourceVersion)] as const;
  }));
  return Object.fromEntries(all);
}

test.each([
  ['with the operator', () => everything('caches', CacheDeploymentMode.OPERATOR)],
  ['in a StatefulSet, where pods must be restricted', () => everything('restricted', CacheDeploymentMode.STATEFUL_SET)],
  ...['cache-operator', 'cache-with-clients', 'caches-for-an-existing-cluster'].map((name) => [`of example ${name}`, () => exampleObjects(name)] as const),
] as [string, () => any[]][])('all objects %s are accepted strictly, and a second apply changes nothing', async (_, make) => {
  const objects = known(make());
  if (objects.length === 0) return;
  await plane.kubectl.apply(objects, '--force-conflicts');
  const before = await versions(objects);
  expect(Object.values(before)).not.toContain('undefined');
  await plane.kubectl.apply(objects, '--force-conflicts');
  expect(await versions(objects)).toEqual(before);
});

test('the controllers make the pods of a StatefulSet one after the other, each with its volume', async () => {
  const { status } = await plane.kubectl.get('statefulset', 'shop', 'restricted');
  expect(status.replicas ?? 0).toBeLessThanOrEqual(3);
  await plane.until('the first pod', async () => (await plane.kubectl.list('pods', 'restricted')).some(({ metadata }) => metadata.name === 'shop-0'));
  const { code, stderr } = await plane.kubectl.try(['get', 'pvc', 'data-shop-0', '--namespace', 'restricted']);
  expect([code, stderr]).toEqual([0, '']);
});
