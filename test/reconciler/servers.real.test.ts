import { join } from 'path';
import { clusterOf, NAMESPACE, Program, Rig } from './rig/rig';
import { StandIn } from './rig/stand-in';
import { APPLIED } from '../../reconciler/src/definitions/definition-record';
import { eventually } from '../support/http';

/** Events of servers that cannot be had here come from stand-ins, which are checked against the real server elsewhere. */
let rig: Rig;
let program: Program | undefined;
let servers: StandIn[] = [];

beforeAll(async () => {
  rig = await Rig.start();
});

afterAll(async () => rig?.stop());

afterEach(async () => {
  await program?.kill();
  await Promise.all(servers.map(async (server) => server.stop()));
  servers = [];
  await rig.clear();
  await rig.plane.kubectl.run('delete', 'endpointslices,events.events.k8s.io', '--all', '--namespace', NAMESPACE);
});

const SERVICE = 'sessions-pods';
const host = (number: number) => `127.0.0.${number}`;

/** Servers of one cluster, at one port, as pods are. */
async function cluster(count: number): Promise<StandIn[]> {
  const first = await StandIn.start({ host: host(11) });
  servers = [first];
  const port = Number(new URL(first.url).port);
  for (let number = 12; number < 11 + count; number++) servers.push(await StandIn.start({ host: host(number), port, beside: first }));
  return servers;
}

interface Pod {
  readonly number: number;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

/** Says which pods there are; see `near-addresses.cjs` for the addresses. */
async function pods(...all: Pod[]) {
  await rig.plane.kubectl.apply([{
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: SERVICE, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    endpoints: all.map(({ number, serving = true, terminating = false }) => ({
      // As a headless Service does that counts all as ready.
      addresses: [`192.0.2.${number}`], conditions: { ready: true, serving, terminating }, targetRef: { kind: 'Pod', name: `sessions-${number}` },
    })),
    ports: [{ port: 11222 }],
  }]);
}

async function start(more: Parameters<typeof clusterOf>[1] = {}): Promise<Program> {
  return program = await rig.program([clusterOf(servers[0], more)], { definitions: true }, { preload: join(__dirname, 'rig', 'near-addresses.cjs') });
}

const define = async (name: string, kind: string, definition: string) => {
  await rig.define(name, kind, { name, definition });
  await eventually('applied', async () => (await rig.definition(name))?.metadata.annotations?.[APPLIED]);
};
const said = async (what: string) => eventually(what, async () => {
  const events = (await rig.plane.kubectl.list('events.events.k8s.io', NAMESPACE)).map(({ reason, regarding }: any) => `${reason} ${regarding.name}`);
  expect(events).toContain(what);
  return true;
});
const streams = () => servers.map((server) => server.streams);
const streamsAre = async (...expected: number[]) => eventually(`streams ${expected}`, async () => {
  expect(streams()).toEqual(expected);
  return true;
});

const COUNTER = '{"strong-counter":{}}';

describe('events', () => {
  test('of schemas and counters have what is defined looked at, at once', async () => {
    const [server] = await cluster(1);
    const one = await start();
    await one.untilReady();
    await define('a.proto', 'schema', 'message A {}');
    await define('hits', 'counter', COUNTER);
    server.putSchema('a.proto', 'message B {}');
    await said('Drifted a.proto');
    server.undefineCounter('hits');
    await said('DefinitionRemoved hits');
    server.defineCounter('hits', { 'weak-counter': {} });
    await said('Drifted hits');
    server.removeSchema('a.proto');
    await said('DefinitionRemoved a.proto');
    const looks = await one.metric('reconciled_total');
    server.putSchema('others.proto', 'message C {}');
    server.defineCounter('others', JSON.parse(COUNTER));
    await eventually('counted', async () => await one.metric('events_total', 'of="counter"') >= 4);
    expect(await one.metric('reconciled_total')).toBe(looks);
  });

  test('of templates do so, too', async () => {
    const [server] = await cluster(1);
    await (await start()).untilReady();
    await define('small', 'template', '{"local-cache-configuration":{}}');
    await fetch(`${server.url}/rest/v2/tasks/@@template@remove?action=exec&param.name=small`, { method: 'POST' });
    await said('DefinitionRemoved small');
  });
});

describe('each server', () => {
  test('that answers is listened to, so that nothing is missed of what only it tells', async () => {
    await cluster(3);
    await pods({ number: 11 }, { number: 12 }, { number: 13, serving: false });
    const one = await start({ perPod: SERVICE });
    await one.untilReady();
    expect(streams()).toEqual([1, 1, 0]);
    await define('hits', 'counter', COUNTER);
    servers[1].undefineCounter('hits');
    await said('DefinitionRemoved hits');
    expect([await one.metric('streams{'), await one.metric('streams_open')]).toEqual([2, 2]);
    expect(servers.map(({ asked }) => asked.some((path) => path.includes('/counters/')))).toEqual([true, false, false]);
  });

  test('that comes is listened to, after a look at everything; one that goes is not missed', async () => {
    await cluster(2);
    await pods({ number: 11 });
    const one = await start({ perPod: SERVICE });
    await one.untilReady();
    await define('hits', 'counter', COUNTER);
    // Nobody listens there yet.
    servers[1].undefineCounter('hits');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await pods({ number: 11 }, { number: 12 });
    await said('DefinitionRemoved hits');
    await streamsAre(1, 1);
    await pods({ number: 11, terminating: true }, { number: 12 });
    await streamsAre(0, 1);
    servers[1].put('orders');
    await eventually('mirrored', async () => (await rig.mirrored()).includes('orders'));
    await one.untilReady();
    await one.stop();
    await streamsAre(0, 0);
  });

  test('must be heard for all to be in step, though what the others tell is not held up', async () => {
    await cluster(2);
    await pods({ number: 11 }, { number: 12 });
    const one = await start({ perPod: SERVICE });
    await one.untilReady();
    await servers[1].stop();
    await eventually('not ready', async () => (await one.page('/readyz')).status === 503);
    servers[0].put('orders');
    await eventually('mirrored', async () => (await rig.mirrored()).includes('orders'));
    expect((await one.page('/readyz')).text).toMatch(/^sessions: connect ECONNREFUSED/);
    // Either it is there again, or it is known to be gone.
    await servers[1].restart();
    await one.untilReady(20);
    await servers[1].stop();
    await eventually('not ready', async () => (await one.page('/readyz')).status === 503);
    await pods({ number: 11 });
    await one.untilReady();
    await servers[1].restart();
  });

  test('that is missing is said to be, and is found when it comes', async () => {
    await cluster(1);
    const one = await start({ perPod: SERVICE });
    await eventually('says so', async () => (await one.page('/readyz')).text === `sessions: no pod of Service ${SERVICE} answers\n`);
    await pods({ number: 11 });
    await one.untilReady(5);
    await pods();
    await eventually('says so again', async () => (await one.page('/readyz')).status === 503);
  });
});
