import { execFileSync } from 'child_process';
import { App, Chart } from 'cdk8s';
import { CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage } from '../../lib';
import { makeNamespace, rolledOut } from './cluster';
import { eventually } from '../support/http';
import { infinispanImage } from '../rig/infinispan-image';
import { NodeCluster } from '../rig/node-cluster';
import { synthesise } from '../support/synth';

jest.setTimeout(600_000);

const NAMESPACE = 'caches';
const ENTRIES = 100;
const USER = 'web:secret';

let cluster: NodeCluster;

beforeAll(async () => {
  cluster = await NodeCluster.start(3, { infinispan: infinispanImage() });
  await makeNamespace(cluster.kubectl, NAMESPACE, 'restricted');
  await cluster.kubectl.apply([
    secret('shop-users', { 'users.properties': 'web=secret\n', 'groups.properties': 'web=admin\n' }),
    secret('shop-client', { username: 'web', password: 'secret' }),
  ]);
}, 300_000);

afterAll(async () => cluster?.stop(), 60_000);

function secret(name: string, stringData: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, stringData };
}

/** The manifests of three servers, which need no volumes of a cloud. */
function manifest(replicas: number): any[] {
  const chart = new Chart(new App(), 'test', { namespace: NAMESPACE });
  const shop = new CacheCluster(chart, 'Shop', {
    deploymentMode: CacheDeploymentMode.STATEFUL_SET,
    replicas,
    usersSecret: 'shop-users',
    clientCredentialsSecret: 'shop-client',
    storage: CacheStorage.ephemeral(),
    resources: { cpuRequest: '50m' },
  });
  shop.addCache('orders', { configuration: CacheConfiguration.distributed({ encoding: 'text/plain' }) });
  return synthesise(chart);
}

async function apply(replicas: number) {
  await cluster.kubectl.apply(manifest(replicas));
  await rolledOut(cluster.kubectl, manifest(replicas), 400);
}

/** Asks the administrative port of a pod. */
function ask(pod: any, path: string, ...args: string[]): string {
  const [program, ...rest] = [...cluster.prefix, 'curl', '-sS', '-m', '20', '--fail-with-body', '-u', USER, ...args, `http://${pod.status.podIP}:11223/rest/v2${path}`];
  return execFileSync(program, rest, { encoding: 'utf8' });
}

async function pods(): Promise<any[]> {
  const all = await cluster.kubectl.list('pods', NAMESPACE, 'app.kubernetes.io/instance=shop');
  return all.sort((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
}

/** Waits until each server says that it sees all others, and that all entries have their owners. */
async function untilOne(count: number) {
  await eventually(`one cluster of ${count}`, async () => {
    const all = await pods();
    return all.length === count && all.every((pod) => JSON.parse(ask(pod, '/container')).cluster_members.length === count
      && ask(pod, '/container/health/status') === 'HEALTHY');
  }, 180, 2000);
}

/** How many of the entries each server finds. */
async function entries(): Promise<number[]> {
  return (await pods()).map((pod) => Number(ask(pod, '/caches/orders?action=size')));
}

test('three servers form one cluster by DNS, in a namespace that admits only restricted pods', async () => {
  await apply(3);
  await untilOne(3);
  expect(new Set((await pods()).map(({ spec }) => spec.nodeName)).size).toBe(3);
  const [first] = await pods();
  for (let entry = 0; entry < ENTRIES; entry++) ask(first, `/caches/orders/${entry}`, '-X', 'PUT', '-H', 'Content-Type: text/plain', '-d', `value ${entry}`);
  expect(await entries()).toEqual([ENTRIES, ENTRIES, ENTRIES]);
});

test('a rolling restart loses no entry of two owners', async () => {
  const before = (await pods()).map(({ metadata }) => metadata.uid);
  await cluster.kubectl.run('rollout', 'restart', 'statefulset/shop', '--namespace', NAMESPACE);
  await rolledOut(cluster.kubectl, manifest(3), 500);
  await untilOne(3);
  expect((await pods()).some(({ metadata }) => before.includes(metadata.uid))).toBe(false);
  expect(await entries()).toEqual([ENTRIES, ENTRIES, ENTRIES]);
});

test('neither does a drained node', async () => {
  const [, second] = await pods();
  await cluster.kubectl.run('drain', second.spec.nodeName, '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=300s');
  await cluster.kubectl.run('uncordon', second.spec.nodeName);
  await rolledOut(cluster.kubectl, manifest(3), 300);
  await untilOne(3);
  expect(await entries()).toEqual([ENTRIES, ENTRIES, ENTRIES]);
});

test('nor one server less', async () => {
  await apply(2);
  await untilOne(2);
  expect(await entries()).toEqual([ENTRIES, ENTRIES]);
  expect(ask((await pods())[0], '/caches/orders/7')).toBe('value 7');
});
