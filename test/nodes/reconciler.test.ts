import { execFileSync } from 'child_process';
import { App, Chart } from 'cdk8s';
import { AuditedRequest, AuditLog } from './audit-log';
import { makeNamespace, rolledOut } from './cluster';
import { podMemory } from './pod-memory';
import {
  CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage, ConfigReconciler, ConfigReconcilerLogLevel, ConfigReconciling, ConfigRemoval,
} from '../../lib';
import { infinispanImage, nodeImage } from '../rig/infinispan-image';
import { NodeCluster } from '../rig/node-cluster';
import { findCrd } from '../support/crds';
import { eventually } from '../support/http';
import { find, synthesise } from '../support/synth';

jest.setTimeout(500_000);

const NAMESPACE = 'caches';
const RECONCILER = 'reconciler';
const USER = 'admin:secret';
const PROTO = 'syntax = "proto3";\npackage shop;\nmessage Book { string title = 1; }\n';

const audit = new AuditLog(`system:serviceaccount:${NAMESPACE}:${RECONCILER}`);
let cluster: NodeCluster;

beforeAll(async () => {
  const image = find(manifest(), 'Deployment').spec.template.spec.containers[0].image;
  cluster = await NodeCluster.start(2, { infinispan: infinispanImage(), node: nodeImage(image) }, audit.args);
  const { kubectl } = cluster;
  await makeNamespace(kubectl, NAMESPACE, 'restricted');
  await kubectl.apply(['Cache', 'Infinispan'].map((kind) => findCrd('infinispan.org', kind)));
  await kubectl.run('wait', '--for=condition=Established', '--timeout=60s', 'crd/caches.infinispan.org', 'crd/infinispans.infinispan.org');
  await kubectl.apply([
    secret('shop-users', { 'users.properties': 'admin=secret\n', 'groups.properties': 'admin=admin\n' }),
    secret('shop-admin', { username: 'admin', password: 'secret' }),
  ]);
}, 300_000);

afterAll(async () => {
  await cluster?.stop();
  audit.clean();
}, 60_000);

function secret(name: string, stringData: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, stringData };
}

/** The servers, which need no volumes of a cloud, and their reconciler; it may also serve them as if an operator ran them. */
function manifest(operated = false): any[] {
  const chart = new Chart(new App(), 'test', { namespace: NAMESPACE });
  const reconciler = new ConfigReconciler(chart, 'Reconciler', { logLevel: ConfigReconcilerLogLevel.DEBUG });
  const shop = new CacheCluster(chart, 'Shop', {
    deploymentMode: CacheDeploymentMode.STATEFUL_SET,
    replicas: 2,
    usersSecret: 'shop-users',
    storage: CacheStorage.ephemeral(),
    resources: { cpuRequest: '50m' },
    // Each server tells of counters of its own only from 16.2 on; to listen to each is right before, too.
    configReconciler: ConfigReconciling.shared(reconciler, { credentialsSecret: 'shop-admin', removal: ConfigRemoval.REMOVE, podService: 'shop-admin' }),
  });
  shop.addTemplate('two owners', { configuration: CacheConfiguration.distributed({ encoding: 'text/plain' }) });
  shop.addCache('Orders / today', { configuration: CacheConfiguration.distributed({ encoding: 'text/plain' }) });
  shop.addCache('like others', { template: 'two owners' });
  shop.addCounter('visits', { initialValue: 7, lowerBound: 0 });
  shop.addSchema('book', { proto: PROTO });
  shop.addTask('riddle', { script: '// mode=local,language=klingon\n1 + 1\n' });
  if (operated) {
    const other = CacheCluster.fromName(chart, 'Other', 'other');
    reconciler.addCluster(other, { url: `http://shop-admin.${NAMESPACE}.svc:11223`, credentialsSecret: 'shop-admin' });
  }
  return synthesise(chart);
}

const pods = async (instance: string) => cluster.kubectl.list('pods', NAMESPACE, `app.kubernetes.io/instance=${instance}`);

/** Asks the administrative port of a server; an error is `undefined`. */
function ask(pod: any, path: string, ...args: string[]): string | undefined {
  const [program, ...rest] = [...cluster.prefix, 'curl', '-sS', '-m', '20', '--fail', '-u', USER, ...args, `http://${pod.status.podIP}:11223/rest/v2${path}`];
  try {
    return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

const everywhere = async (path: string, test: (answer?: string) => boolean | undefined) => (await pods('shop')).every((pod) => test(ask(pod, path)));
const nowhere = async (path: string) => everywhere(path, (answer) => answer === undefined);

/** Names of caches for which there are resources of a cluster. */
async function caches(clusterName: string): Promise<string[]> {
  return (await cluster.kubectl.list('caches.infinispan.org', NAMESPACE)).filter(({ spec }) => spec.clusterName === clusterName).map(({ spec }) => spec.name).sort();
}

const reconcilerPod = async () => (await pods(RECONCILER))[0];
const log = async () => cluster.kubectl.run('logs', `deployment/${RECONCILER}`, '--namespace', NAMESPACE, '--tail=-1');

test('the servers and the reconciler become ready, in a namespace that admits only restricted pods', async () => {
  await cluster.kubectl.apply(manifest());
  await rolledOut(cluster.kubectl, manifest(), 400);
  expect((await reconcilerPod()).status.containerStatuses[0].restartCount).toBe(0);
});

test('what was added to the cluster is on the servers, which did not roll for it', async () => {
  const orders = encodeURIComponent('Orders / today');
  await eventually('the cache', async () => everywhere(`/caches/${orders}?action=config`, (text) => text?.includes('distributed-cache')), 60);
  await eventually('the cache of a template', async () => everywhere(`/caches/${encodeURIComponent('like others')}?action=config`, (text) => text?.includes('text/plain')), 60);
  await eventually('the counter', async () => everywhere('/counters/visits', (text) => text === '7'), 60);
  await eventually('the schema', async () => everywhere('/schemas/book.proto', (text) => text === PROTO), 60);
  const revisions = new Set((await pods('shop')).map(({ metadata }) => metadata.labels['controller-revision-hash']));
  expect(revisions.size).toBe(1);
});

test('what the servers refuse is told as an Event', async () => {
  await eventually('the Event', async () => {
    const events = await cluster.kubectl.list('events.events.k8s.io', NAMESPACE);
    return events.some(({ regarding, reason }) => regarding.kind === 'ConfigMap' && regarding.name.startsWith('shop-task-riddle-') && reason === 'Refused');
  }, 60);
});

test('a cache that a client makes by any server has a resource, as long as it is there', async () => {
  const servers = await pods('shop');
  for (const [index, pod] of servers.entries()) {
    ask(pod, `/caches/by-${index}`, '-X', 'POST', '-H', 'Content-Type: application/json', '-d', '{"distributed-cache":{}}');
    await eventually(`the resource of by-${index}`, async () => (await caches('shop')).includes(`by-${index}`), 30, 200);
  }
  ask(servers[1], '/caches/by-0', '-X', 'DELETE');
  await eventually('no resource', async () => !(await caches('shop')).includes('by-0'), 30, 200);
});

test('a cluster is added without a restart', async () => {
  const { metadata: { uid } } = await reconcilerPod();
  await cluster.kubectl.apply([{
    apiVersion: 'infinispan.org/v1', kind: 'Infinispan', metadata: { name: 'other', namespace: NAMESPACE }, spec: { replicas: 2, configListener: { enabled: false } },
  }]);
  await cluster.kubectl.apply(manifest(true));
  // The kubelet looks after a minute at most.
  await eventually('resources of the other one', async () => (await caches('other')).includes('by-1'), 180, 2000);
  const pod = await reconcilerPod();
  expect([pod.metadata.uid, pod.status.containerStatuses[0].restartCount]).toEqual([uid, 0]);
});

test('what is removed from the cluster is removed from the servers, by its policy', async () => {
  const objects = manifest(true);
  const orders = objects.find(({ kind, spec }) => kind === 'Cache' && spec.name === 'Orders / today');
  const [visits, book] = ['visits', 'book.proto'].map((name) => objects.find(({ data }) => data?.name === name));
  await cluster.kubectl.delete([orders, visits, book], '--timeout=60s');
  await eventually('no schema', async () => nowhere('/schemas/book.proto'), 30);
  // Its value may still be told by a server that was asked for it before.
  await eventually('no counter', async () => nowhere('/counters/visits/config'), 30);
  await eventually('no cache', async () => nowhere(`/caches/${encodeURIComponent('Orders / today')}?action=config`), 30);
});

test('its memory is told, and its own is less than half of what it asks for', async () => {
  const { usage, workingSet, anonymous } = podMemory((await reconcilerPod()).metadata.uid);
  console.log(`memory of the reconciler's pod: ${usage.toFixed(1)} MiB in use, ${workingSet.toFixed(1)} MiB of working set, ${anonymous.toFixed(1)} MiB its own`);
  expect(anonymous).toBeLessThan(32);
});

test('it was denied nothing, and used every right of its Role', async () => {
  const requests = audit.requests();
  expect(requests.filter(({ responseStatus }) => [401, 403].includes(responseStatus?.code ?? 0))).toEqual([]);
  expect(await log()).not.toMatch(/ 40[13]\b|forbidden/);
  expect(unused(find(manifest(true), 'Role').rules, requests)).toEqual([]);
});

/** Rights that no request has used. */
function unused(rules: any[], requests: AuditedRequest[]): string[] {
  const nameOf = ({ objectRef: { apiGroup = '', resource, subresource } }: AuditedRequest) => `${apiGroup}/${subresource ? `${resource}/${subresource}` : resource}`;
  const used = new Set(requests.map((request) => `${request.verb} ${nameOf(request)}`));
  const granted = rules.flatMap(({ apiGroups: [group], resources: [resource], verbs }) => verbs.map((verb: string) => `${verb} ${group}/${resource}`));
  return granted.filter((right) => !used.has(right));
}
