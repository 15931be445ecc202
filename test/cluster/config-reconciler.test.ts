import { App, Chart } from 'cdk8s';
import { installCustomKinds, known } from './custom-kinds';
import {
  AgentMetrics, CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage, ConfigReconciler, ConfigReconciling, ConfigRemoval,
  OwnConfigReconcilerOptions,
} from '../../lib';
import { ControlPlane } from '../rig/control-plane';
import { exampleObjects } from '../support/examples';
import { synthesise } from '../support/synth';

jest.setTimeout(300_000);

const NAMESPACES = ['own', 'shared', 'removing', 'caches'];

let plane: ControlPlane;

beforeAll(async () => {
  plane = await ControlPlane.start();
  const all = [...own(), ...several(), ...removing(), ...exampleObjects('cache-with-config-reconciler')];
  await installCustomKinds(plane.kubectl, all);
  for (const name of NAMESPACES) {
    await plane.kubectl.run('create', 'namespace', name);
    await plane.kubectl.run('label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted');
  }
}, 240_000);

afterAll(async () => plane?.stop());

/** A cluster without an operator, with a reconciler of its own. */
function stateful(namespace: string, options: OwnConfigReconcilerOptions): CacheCluster {
  const cluster = new CacheCluster(new Chart(new App(), 'test', { namespace }), 'Shop', {
    deploymentMode: CacheDeploymentMode.STATEFUL_SET,
    usersSecret: 'users',
    clientCredentialsSecret: 'admin',
    storage: CacheStorage.ephemeral(),
    configReconciler: ConfigReconciling.own(options),
  });
  cluster.addCache('Orders & more / "ü"', { configuration: CacheConfiguration.distributed() });
  cluster.addCounter('visits');
  return cluster;
}

const objectsOf = (cluster: CacheCluster) => synthesise(Chart.of(cluster));
const own = () => objectsOf(stateful('own', { metrics: AgentMetrics.podMonitor() }));
const removing = () => objectsOf(stateful('removing', { removal: ConfigRemoval.REMOVE, podService: 'shop-admin' }));

/** Two clusters of an operator, one of them from elsewhere, with one reconciler. */
function several(): any[] {
  const chart = new Chart(new App(), 'test', { namespace: 'shared' });
  const reconciler = new ConfigReconciler(chart, 'Reconciler');
  const cluster = new CacheCluster(chart, 'Shop', { configReconciler: ConfigReconciling.shared(reconciler) });
  cluster.addTemplate('two owners', { configuration: CacheConfiguration.distributed() });
  reconciler.addCluster(CacheCluster.fromName(chart, 'Other', 'other', { clientCredentialsSecret: 'other-client' }), { url: 'https://other:11222', caSecret: 'other-ca' });
  return synthesise(chart);
}

/** Versions of objects in the cluster. */
async function versions(objects: any[]): Promise<(string | undefined)[]> {
  return Promise.all(objects.map(async ({ kind, apiVersion, metadata }) => {
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
    const found = await plane.kubectl.get(`${kind}${group}`, metadata.name, metadata.namespace);
    return found?.metadata.generation ?? found?.metadata.resourceVersion;
  }));
}

/** Whether a reconciler may do something, as `verb resource[/name] [--subresource=…]` says, by the API server's own word. */
async function may(namespace: string, reconciler: string, what: string, where = namespace): Promise<boolean> {
  const { stdout } = await plane.kubectl.try(['auth', 'can-i', ...what.split(' '), '--namespace', where, `--as=system:serviceaccount:${namespace}:${reconciler}`]);
  return stdout.trim() === 'yes';
}

describe.each([
  ['one of its own', 'own', 'shop-reconciler', own],
  ['one that is shared', 'shared', 'reconciler', several],
  ['one that removes', 'removing', 'shop-reconciler', removing],
  ['that of the example', 'caches', 'reconciler', () => exampleObjects('cache-with-config-reconciler')],
] as [string, string, string, () => any[]][])('%s', (_, namespace, name, make) => {
  let objects: any[];

  beforeAll(() => {
    objects = known(make());
  });

  test('is accepted strictly, and a second apply changes nothing', async () => {
    await plane.kubectl.apply(objects, '--force-conflicts');
    const before = await versions(objects);
    expect(before).not.toContain(undefined);
    await plane.kubectl.apply(objects, '--force-conflicts');
    // What the controllers have not touched.
    expect(await versions(objects)).toEqual(before);
  });

  test('gets its pod, which must be restricted, with a token', async () => {
    await plane.until('the pod', async () => (await plane.kubectl.list('pods', namespace, `app.kubernetes.io/instance=${name}`)).length === 1);
    const [{ spec }] = await plane.kubectl.list('pods', namespace, `app.kubernetes.io/instance=${name}`);
    expect(spec.serviceAccountName).toBe(name);
    expect(spec.volumes.some(({ projected }: any) => projected?.sources.some(({ serviceAccountToken }: any) => serviceAccountToken))).toBe(true);
  });

  test('is applied on the client\'s side, too: its program fits into an annotation', async () => {
    const program = objects.find(({ immutable }) => immutable);
    const { code, stderr } = await plane.kubectl.try(['apply', '--filename=-'], JSON.stringify({ ...program, metadata: { ...program.metadata, name: 'client-side' } }));
    expect([code, stderr]).toEqual([0, '']);
  });
});

const [counter] = own().filter(({ metadata }) => metadata.labels['cdk8s-platform-services/cache-definition']).map(({ metadata }) => metadata.name);
const [template] = several().filter(({ metadata }) => metadata.labels['cdk8s-platform-services/cache-definition']).map(({ metadata }) => metadata.name);

const CACHES = ['list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} caches.infinispan.org`);
const EVERYWHERE = [...CACHES, 'create events.events.k8s.io', 'list configmaps', 'watch configmaps'];
/** What no reconciler may. */
const NOWHERE = [
  'get secrets', 'list secrets', 'watch secrets', 'create secrets', 'list secrets/users', 'get secrets/admin', 'create pods', 'create pods --subresource=exec', 'list pods',
  'patch deployments.apps', 'create roles.rbac.authorization.k8s.io', 'create serviceaccounts --subresource=token', 'impersonate serviceaccounts',
  'get caches.infinispan.org', 'update caches.infinispan.org', 'deletecollection caches.infinispan.org', 'update caches.infinispan.org --subresource=status',
  'patch infinispans.infinispan.org', 'delete infinispans.infinispan.org', 'create configmaps', 'update configmaps', 'delete configmaps', 'get configmaps', 'patch events.events.k8s.io',
  'create events', 'list namespaces', '* *',
];
const ROLES: [string, string, string[], string[]][] = [
  ['own', 'shop-reconciler',
    ['patch caches.infinispan.org --subresource=status', 'list secrets/admin', 'watch secrets/admin', `patch configmaps/${counter}`],
    ['patch configmaps', 'patch configmaps/shop-configuration', 'list infinispans.infinispan.org', 'list endpointslices.discovery.k8s.io']],
  ['shared', 'reconciler',
    [
      'list infinispans.infinispan.org/shop', 'watch infinispans.infinispan.org/other', `patch configmaps/${template}`,
      'list secrets/shop-generated-operator-secret', 'watch secrets/other-client', 'list endpointslices.discovery.k8s.io', 'watch endpointslices.discovery.k8s.io',
    ],
    ['patch caches.infinispan.org --subresource=status', 'list infinispans.infinispan.org', 'list infinispans.infinispan.org/third', 'list secrets/other-ca', 'patch configmaps']],
  ['removing', 'shop-reconciler',
    ['patch caches.infinispan.org --subresource=status', 'patch configmaps', 'list endpointslices.discovery.k8s.io', 'watch endpointslices.discovery.k8s.io'],
    ['list infinispans.infinispan.org', 'patch endpointslices.discovery.k8s.io']],
];

describe.each(ROLES)('in namespace %s, %s', (namespace, name, allowed, denied) => {
  test.each([...EVERYWHERE, ...allowed])('may %s', async (what) => {
    expect(await may(namespace, name, what)).toBe(true);
  });

  test.each([...NOWHERE, ...denied])('may not %s', async (what) => {
    expect(await may(namespace, name, what)).toBe(false);
  });

  test('may nothing elsewhere', async () => {
    const others = NAMESPACES.filter((other) => other !== namespace);
    expect(await Promise.all(others.flatMap((other) => EVERYWHERE.map(async (what) => may(namespace, name, what, other))))).not.toContain(true);
  });
});

test('a Secret is read by its name, as the program does, and no other one with it', async () => {
  const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'own' }, stringData: { username: 'a', password: 'b' } });
  await plane.kubectl.apply([secret('admin'), secret('users')]);
  const as = '--as=system:serviceaccount:own:shop-reconciler';
  const list = async (...args: string[]) => plane.kubectl.try(['get', 'secrets', '--namespace=own', '--output=name', as, ...args]);
  expect(await list('--field-selector=metadata.name=admin')).toMatchObject({ code: 0, stdout: 'secret/admin\n' });
  expect((await list('--field-selector=metadata.name=users')).stderr).toContain('forbidden');
  expect((await list()).stderr).toContain('forbidden');
});

test('a service account without a namespace is that of the RoleBinding\'s', async () => {
  const binding = own().find(({ kind }) => kind === 'RoleBinding');
  expect(await may('own', 'other', CACHES[0])).toBe(false);
  await plane.kubectl.apply([{ ...binding, metadata: { ...binding.metadata, name: 'a' }, subjects: [{ kind: 'ServiceAccount', name: 'other' }] }]);
  await plane.until('it may', async () => may('own', 'other', CACHES[0]), 10);
});

test('what is refused at synth would fail: labels of the pod that are not those of the selector', async () => {
  const deployment = own().find(({ kind }) => kind === 'Deployment');
  const changed = JSON.parse(JSON.stringify(deployment));
  changed.metadata.name = 'a';
  changed.spec.template.metadata.labels['app.kubernetes.io/component'] = 'other';
  expect(await plane.kubectl.refusal([changed])).toContain('`selector` does not match template `labels`');
});
