import { execFileSync } from 'child_process';
import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ApiObject, App, Chart } from 'cdk8s';
import { buildSync } from 'esbuild';
import { makeNamespace, rolledOut } from './cluster';
import { CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage } from '../../lib';
import { cacheClientImage, infinispanImage } from '../rig/infinispan-image';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';
import { synthesise } from '../support/synth';

jest.setTimeout(600_000);

const NAMESPACE = 'caches';
const ENTRIES = 100;
const USER = 'web:secret';

let cluster: NodeCluster;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cache-client-'));
  try {
    const program = join(folder, 'client.js');
    buildSync({ entryPoints: [join(__dirname, 'cache-client.js')], bundle: true, platform: 'node', outfile: program });
    cluster = await NodeCluster.start(3, { infinispan: infinispanImage(), client: cacheClientImage(program) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/** The manifests of the servers, which need no volumes of a cloud, and of a client if there is to be one. */
function manifest(replicas: number, client?: any): any[] {
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
  if (client) shop.addClient(new ApiObject(chart, 'Client', client));
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

test('a client reads and writes over REST and Hot Rod with nothing but what addClient injects', async () => {
  const objects = manifest(3, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'client' },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          securityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [{
            name: 'client',
            image: 'localhost/cache-client:1',
            imagePullPolicy: 'Never',
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          }],
        },
      },
    },
  });
  await cluster.kubectl.apply(objects);
  await eventually('the client has ended', async () => {
    const { status } = await cluster.kubectl.get('job', 'client', NAMESPACE);
    return status.succeeded === 1 || status.failed >= 1;
  }, 180, 1000);
  const output = await cluster.kubectl.run('logs', 'job/client', '--namespace', NAMESPACE);
  expect(output.trim()).toBe(JSON.stringify(['by REST', 'by Hot Rod', 'by REST']));
  expect(await entries()).toEqual(Array(3).fill(ENTRIES + 2));
  // Other tests count their own.
  for (const name of ['rest', 'hot%20rod']) ask((await pods())[0], `/caches/orders/${name}`, '-X', 'DELETE');
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
