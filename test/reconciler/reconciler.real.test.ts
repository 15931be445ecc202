import { Infinispan, PASSWORD } from './rig/infinispan';
import { clusterOf, NAMESPACE, Program, Rig, SECRET } from './rig/rig';
import { ConfigDirection, ConfigOrphans, ConfigRemoval } from '../../lib/cache-cluster/reconciler/config-policies';
import { LISTENER_DELETE, LISTENER_GENERATION, OMITTED, OPERATOR_FINALIZER, PAUSED, UNMANAGED } from '../../reconciler/src/caches/marks';
import { cachesPath } from '../../reconciler/src/kubernetes/objects';
import { mirrorName } from '../../reconciler/src/names';
import { eventually } from '../support/http';

const LOCAL = { 'local-cache': {} };
const bounded = (count: number) => ({ 'local-cache': { memory: { 'max-count': String(count) } } });
const text = (configuration: object) => JSON.stringify(configuration);

let rig: Rig;
let server: Infinispan;
let program: Program | undefined;

beforeAll(async () => {
  [rig, server] = await Promise.all([Rig.start(), Infinispan.start()]);
});

afterAll(async () => {
  await rig?.stop();
  await server?.clean();
});

afterEach(async () => {
  await program?.kill();
  program = undefined;
  await rig.clear();
  await server.clear();
});

async function start(...args: Parameters<Rig['program']>): Promise<Program> {
  program = await rig.program(...args);
  await program.untilReady();
  return program;
}

const mirroredAre = async (...names: string[]) => eventually(`mirrors of ${names}`, async () => {
  const found = await rig.mirrored();
  expect(found).toEqual([...names].sort());
  return true;
});

const templateOf = async (cache: string) => (await rig.mirrors()).find(({ spec }) => spec.name === cache)?.spec.template;
async function conditions(name: string): Promise<Record<string, string>> {
  const found = (await rig.resource(name))?.status?.conditions ?? [];
  return Object.fromEntries(found.map(({ type, status, message }) => [type, `${status} ${message}`]));
}
const events = async () => (await rig.plane.kubectl.list('events.events.k8s.io', NAMESPACE)).map(({ reason, regarding }: any) => `${reason} ${regarding.name}`);

describe('what clients do over REST', () => {
  test('is shown: made, changed and removed, with one request to the API server each', async () => {
    const one = await start([clusterOf(server)]);
    const before = await one.requests();
    await server.create('orders', bounded(100));
    await mirroredAre('orders');
    expect(await templateOf('orders')).toBe(text(bounded(100)));
    expect(await one.requests()).toBe(before + 1);
    await server.update('orders', bounded(200));
    await eventually('changed', async () => await templateOf('orders') === text(bounded(200)));
    const { metadata } = (await rig.mirrors())[0];
    expect(metadata.annotations![LISTENER_GENERATION]).toBe(String(metadata.generation));
    expect(await one.requests()).toBe(before + 2);
    await server.remove('orders');
    await mirroredAre();
    expect(await one.requests()).toBe(before + 3);
  });

  const ODD = ['a b', 'x/y', "it's", 'say "hi"', '100%', 'ü日本', 'MyCache', 'my_cache', 'my.cache', 'myCache', 'cache1', '_x', 'a\\b', 'a+b', '#h', '..', '<b>&', 'x'.repeat(200)];

  test('is shown by names of any kind, which stay through restarts of the program', async () => {
    const one = await start([clusterOf(server)]);
    for (const name of ODD) await server.create(name);
    await mirroredAre(...ODD);
    const before = (await rig.mirrors()).map(({ metadata }) => metadata.uid).sort();
    await one.restart();
    await one.untilReady();
    expect((await rig.mirrors()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
    expect(await one.writes()).toBe(0);
    for (const name of ODD) await server.remove(name);
    await mirroredAre();
  });

  test('is made up for when nobody listened: caches that were there, came, went and changed', async () => {
    for (const name of ['kept', 'gone', 'changed']) await server.create(name, bounded(1));
    const one = await start([clusterOf(server)]);
    await mirroredAre('kept', 'gone', 'changed');
    await one.kill();
    await server.remove('gone');
    await server.create('came');
    await server.update('changed', bounded(2));
    await one.restart();
    await mirroredAre('kept', 'changed', 'came');
    await eventually('changed', async () => await templateOf('changed') === text(bounded(2)));
  });

  test.each([['SIGKILL'], ['SIGTERM']] as const)('is followed again after the server was ended by %s', async (signal) => {
    await server.create('before');
    await start([clusterOf(server)]);
    await mirroredAre('before');
    await server.restart(signal);
    await server.create('after');
    await mirroredAre('before', 'after');
  });

  test('is shown in part where a configuration is too long for a resource, and other caches are not held up', async () => {
    const one = await start([clusterOf(server)]);
    const aliases = (size: number) => ({ 'local-cache': { aliases: Array.from({ length: size / 100 }, (_, index) => `${size}-${index}-${'a'.repeat(85)}`) } });
    await server.create('73 kB', aliases(73_000));
    await server.create('1 MB', aliases(1_000_000));
    await server.create('7 MB', aliases(7_000_000));
    await server.create('small');
    await mirroredAre('73 kB', '1 MB', '7 MB', 'small');
    expect((await templateOf('73 kB'))!.length).toBeGreaterThan(70_000);
    const omitted = (await rig.mirrors()).filter(({ metadata }) => metadata.annotations![OMITTED]);
    expect(omitted.map(({ spec }) => [spec.name, spec.template])).toEqual(expect.arrayContaining([['1 MB', undefined], ['7 MB', undefined]]));
    expect(await one.metric('reconnects_total')).toBe(0);
    expect(await one.metric('long_events_total')).toBeGreaterThanOrEqual(3);
    await server.remove('7 MB');
    await mirroredAre('73 kB', '1 MB', 'small');
  });
});

describe('a mirror', () => {
  test('that somebody removes or changes comes back, and the cache is not touched', async () => {
    await server.create('orders', bounded(5));
    await start([clusterOf(server)]);
    await mirroredAre('orders');
    const name = mirrorName('sessions', 'orders');
    const { metadata: { uid } } = (await rig.resource(name))!;
    await rig.remove(name);
    await eventually('back', async () => (await rig.resource(name))?.metadata.uid !== uid && (await rig.mirrored()).length === 1);
    await rig.change(name, { spec: { template: '<local-cache/>' } });
    await eventually('as it was', async () => await templateOf('orders') === text(bounded(5)));
    expect(await server.names()).toEqual(['orders']);
  });

  test('whose name the resource of a user has gets another one, and keeps it', async () => {
    const name = mirrorName('sessions', 'orders');
    await rig.plane.kubectl.apply([{ apiVersion: 'infinispan.org/v2alpha1', kind: 'Cache', metadata: { name, namespace: NAMESPACE }, spec: { clusterName: 'sessions', name: 'others' } }]);
    await server.create('orders', bounded(5));
    await start([clusterOf(server)]);
    await mirroredAre('orders');
    const second = (await rig.resource(mirrorName('sessions', 'orders', 1)))!;
    await rig.remove(name);
    await server.create('sign');
    await mirroredAre('orders', 'sign');
    expect((await rig.resource(second.metadata.name))?.metadata.uid).toBe(second.metadata.uid);
  });

  test('carries no owner, and goes only after the operator was told to leave the cache alone', async () => {
    await server.create('orders');
    await rig.plane.kubectl.apply([infinispan({ configListener: { enabled: false } })]);
    await start([clusterOf(server, { operator: true })]);
    await mirroredAre('orders');
    const name = mirrorName('sessions', 'orders');
    const mirror = (await rig.resource(name))!;
    expect(mirror.metadata).not.toHaveProperty('ownerReferences');
    // As the operator does with every resource.
    await rig.change(name, { metadata: { finalizers: [OPERATOR_FINALIZER] } });
    await server.remove('orders');
    await eventually('marked and going', async () => {
      const { metadata } = (await rig.resource(name))!;
      return metadata.annotations![LISTENER_DELETE] === 'true' && metadata.deletionTimestamp;
    });
  });

  test('is left alone while it is paused', async () => {
    await server.create('orders', bounded(5));
    const one = await start([clusterOf(server)]);
    await mirroredAre('orders');
    await rig.change(mirrorName('sessions', 'orders'), { metadata: { annotations: { [PAUSED]: 'true' } } });
    await server.update('orders', bounded(6));
    await server.create('later');
    await mirroredAre('orders', 'later');
    expect(await templateOf('orders')).toBe(text(bounded(5)));
    expect(await one.metric('user_caches', 'state="paused"')).toBe(1);
  });
});

/** The resource by which the operator runs a cluster. */
function infinispan(spec: object) {
  return { apiVersion: 'infinispan.org/v1', kind: 'Infinispan', metadata: { name: 'sessions', namespace: NAMESPACE }, spec: { replicas: 1, ...spec } };
}

describe('with an operator', () => {
  afterEach(async () => {
    await rig.plane.kubectl.delete([infinispan({})]);
  });

  test.each([['left out', {}], ['on', { configListener: { enabled: true } }]])('whose own listener is %s, nothing is written and it is not ready; then all is', async (_, spec) => {
    await server.create('orders');
    await rig.plane.kubectl.apply([infinispan(spec)]);
    const one = program = await rig.program([clusterOf(server, { operator: true })]);
    await eventually('says so', async () => {
      const { status, text: reason } = await one.page('/readyz');
      return status === 503 && reason === "sessions: the operator's own listener is on: set spec.configListener.enabled of Infinispan sessions to false\n";
    });
    expect(await one.writes()).toBe(0);
    expect(await rig.resources()).toEqual([]);
    await rig.plane.kubectl.apply([infinispan({ configListener: { enabled: false } })]);
    await mirroredAre('orders');
    await one.untilReady();
    await rig.plane.kubectl.apply([infinispan({ configListener: { enabled: true } })]);
    await eventually('stops', async () => (await one.page('/readyz')).status === 503);
    const writes = await one.writes();
    await server.create('later');
    await server.remove('orders');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await one.writes()).toBe(writes);
  });

  test('a user\'s resource is never written; what is wrong with it is reported', async () => {
    await server.create('same', bounded(1));
    await server.create('other', bounded(1));
    await rig.plane.kubectl.apply([infinispan({ configListener: { enabled: false } })]);
    const older = [
      await rig.user('same', { template: '<local-cache>\n<memory max-count="1"/>\n</local-cache>' }),
      await rig.user('drifted', { name: 'other', template: text(bounded(2)) }),
      await rig.user('missing', { template: text(LOCAL) }),
    ];
    // Kubernetes tells times in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const before = [...older, await rig.user('second', { name: 'other', template: text(LOCAL) })];
    const one = await start([clusterOf(server, { operator: true })]);
    await eventually('reported', async () => {
      expect((await events()).sort()).toEqual(expect.arrayContaining(['CacheMissing missing', 'Conflict second', 'Drifted drifted']));
      return true;
    });
    expect(await events()).not.toContain('Drifted same');
    expect(await rig.mirrors()).toEqual([]);
    for (const resource of before) expect(await rig.resource(resource.metadata.name)).toEqual(resource);
    expect(await one.metric('user_caches', 'state="missing"')).toBe(1);
    expect(await server.names()).toEqual(['other', 'same']);
  });
});

describe('in both directions', () => {
  const both = (more = {}) => clusterOf(server, { direction: ConfigDirection.BOTH, ...more });

  test('a user\'s resource makes the cache, changes it, and says which generation the server has', async () => {
    await start([both()]);
    const made = await rig.user('orders', { name: 'My orders', template: text(bounded(1)) });
    await eventually('made', async () => (await conditions('orders')).Applied === 'True generation 1');
    expect(await server.names()).toEqual(['My orders']);
    await rig.change('orders', { spec: { template: text(bounded(2)) } });
    await eventually('changed', async () => (await conditions('orders')).Applied === 'True generation 2');
    const { text: answer } = await server.ask('/caches/My%20orders?action=config', { headers: { accept: 'application/json' } });
    expect(JSON.parse(answer)).toEqual({ 'My orders': bounded(2) });
    const now = (await rig.resource('orders'))!;
    const { labels, annotations } = made.metadata;
    expect([now.metadata.labels, now.metadata.annotations, now.metadata.finalizers]).toEqual([labels, annotations, undefined]);
    expect(await rig.mirrors()).toEqual([]);
  });

  test('a change that the server refuses is said, and is applied by a new cache only when asked for', async () => {
    await start([both()]);
    const encoded = text({ 'local-cache': { encoding: { 'media-type': 'application/json' } } });
    await rig.user('orders', { template: text(LOCAL) });
    await eventually('made', async () => (await conditions('orders')).Applied === 'True generation 1');
    const update = async (spec: object) => rig.change('orders', { spec });
    await update({ template: encoded });
    await eventually('refused', async () => /^False Refused: the server answered 400/.test((await conditions('orders')).Ready));
    expect((await conditions('orders')).Applied).toBe('True generation 1');
    await update({ template: '{"no-cache":{}}', updates: { strategy: 'recreate' } });
    await eventually('refused, too', async () => /no-cache|Refused/.test((await conditions('orders')).Ready));
    expect(await server.names()).toEqual(['orders']);
    await update({ template: encoded, updates: { strategy: 'recreate' } });
    await eventually('made anew', async () => (await conditions('orders')).Applied === 'True generation 4');
    expect((await server.ask('/caches/orders?action=config')).text).toContain('application/json');
  });

  test('one that cannot be read costs no cache, also where a new one is asked for; what is said of a resource that is gone makes it not anew', async () => {
    const one = await start([both()]);
    await server.create('orders', bounded(1));
    const made = await rig.user('orders', { template: '{"no-cache":{}}', updates: { strategy: 'recreate' } });
    await eventually('refused', async () => (await conditions('orders')).Ready?.startsWith('False Refused'));
    expect(await server.names()).toEqual(['orders']);
    await one.kill();
    await rig.remove('orders');
    const stated = { apiVersion: 'infinispan.org/v2alpha1', kind: 'Cache', metadata: { finalizers: ['example.com/mine'] } };
    await expect(rig.api.apply(cachesPath(NAMESPACE), made.metadata, 'test', stated)).rejects.toThrow('uid mismatch');
    expect(await rig.resources()).toEqual([]);
  });

  test('a cache that was removed at the server is not made again, but said to be gone; a change makes it again', async () => {
    const one = await start([both()]);
    await rig.user('orders', { template: text(LOCAL) });
    await eventually('made', async () => (await conditions('orders')).Applied === 'True generation 1');
    await server.remove('orders');
    await eventually('said', async () => (await conditions('orders')).Ready?.startsWith('False CacheRemoved'));
    await one.restart();
    await one.untilReady();
    expect(await server.names()).toEqual([]);
    expect(await events()).toContain('CacheRemoved orders');
    await rig.change('orders', { spec: { template: text(bounded(3)) } });
    await eventually('made again', async () => (await server.names()).includes('orders'));
  });

  test('a resource that goes keeps the cache, which then gets a mirror', async () => {
    await start([both()]);
    await rig.user('orders', { template: text(LOCAL) });
    await eventually('made', async () => (await server.names()).includes('orders'));
    await rig.remove('orders');
    await mirroredAre('orders');
    expect(await server.names()).toEqual(['orders']);
  });

  test('a resource that goes takes the cache along where that is wanted, also when nobody was there to see it', async () => {
    const one = await start([both({ removal: ConfigRemoval.REMOVE })]);
    for (const name of ['first', 'second', 'third']) await rig.user(name, { template: text(LOCAL) });
    await eventually('made', async () => (await server.names()).length === 3);
    await eventually('held', async () => (await rig.resources()).every(({ metadata }) => metadata.finalizers?.length === 1));
    await rig.remove('first');
    await eventually('gone', async () => (await rig.resources()).length === 2);
    expect(await server.names()).toEqual(['second', 'third']);
    await one.kill();
    await rig.remove('second');
    await rig.change('third', { metadata: { annotations: { [UNMANAGED]: 'true' } } });
    await rig.remove('third');
    await one.restart();
    await eventually('gone', async () => (await rig.resources()).every(({ spec }) => spec.name === 'third'));
    expect(await server.names()).toEqual(['third']);
  });

  test('of two resources for one cache the older counts, and takes over what was mirrored', async () => {
    await server.create('orders', bounded(1));
    await start([both()]);
    await mirroredAre('orders');
    await rig.user('mine', { name: 'orders', template: text(bounded(1)) });
    await mirroredAre();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await rig.user('orders', { template: text(bounded(9)) });
    await eventually('said', async () => (await conditions('orders')).Ready === 'False Conflict: Cache mine is older and stands for the same cache');
    expect((await conditions('mine')).Applied).toBe('True generation 1');
    await rig.remove('mine');
    await eventually('its turn', async () => (await conditions('orders')).Applied === 'True generation 1');
  });
});

describe('several clusters in a namespace', () => {
  let other: Infinispan;

  beforeAll(async () => {
    other = await Infinispan.start();
  });

  afterAll(async () => other?.clean());

  test('are served by one program; those that come and go by the configuration do not disturb the others', async () => {
    const one = await start([clusterOf(server)], { orphans: ConfigOrphans.REMOVE });
    await server.create('same name', bounded(1));
    await other.create('same name', bounded(2));
    one.configure({ clusters: [clusterOf(server), clusterOf(other, { name: 'orders' })] });
    await eventually('both', async () => (await rig.mirrored('orders')).length === 1 && (await rig.mirrored('sessions')).length === 1);
    expect((await rig.mirrors('orders'))[0].spec.template).toBe(text(bounded(2)));
    one.configure({ clusters: [clusterOf(server)] });
    await eventually('one', async () => (await rig.mirrored('orders')).length === 0);
    expect(await rig.mirrored('sessions')).toEqual(['same name']);
    expect(await one.metric('reconnects_total', 'sessions')).toBe(0);
    expect(await other.names()).toEqual(['same name']);
  });

  test('a wrong configuration is passed over', async () => {
    const one = await start([clusterOf(server)]);
    one.configure({ clusters: [clusterOf(server, { url: 'nowhere' })] });
    await eventually('counted', async () => await one.metric('wrong_configurations_total') === 1);
    await server.create('orders');
    await mirroredAre('orders');
  });

  test('without a policy for orphans their mirrors stay', async () => {
    await server.create('orders');
    const one = await start([clusterOf(server)]);
    await mirroredAre('orders');
    one.configure({ clusters: [] });
    await eventually('let go', async () => one.log.includes('a cluster is let go'));
    await mirroredAre('orders');
  });
});

describe('who asks', () => {
  const password = async (value: string) => rig.plane.kubectl.run('patch', 'secret', SECRET, '--namespace', NAMESPACE, '--type=merge', `--patch={"stringData":{"password":"${value}"}}`);

  test('is not let in with a wrong password, is not ready, knocks seldom, and takes a new one at once', async () => {
    await password('wrong');
    const one = program = await rig.program([clusterOf(server)]);
    await eventually('says so', async () => (await one.page('/readyz')).text.includes('the server answered 401'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await one.metric('reconnects_total')).toBe(1);
    await password(PASSWORD);
    await one.untilReady(5);
    expect(one.log).not.toContain(PASSWORD);
  });
});

test('5,000 caches are shown, and cost no write when the program starts again', async () => {
  const names = Array.from({ length: 5000 }, (_, index) => `cache ${index}`);
  const full = await Infinispan.start({ caches: names });
  try {
    const one = program = await rig.program([clusterOf(full)]);
    await one.untilReady(180);
    expect((await rig.mirrored()).length).toBe(names.length);
    const writes = await one.writes();
    await one.restart();
    await one.untilReady();
    expect([writes, await one.writes()]).toEqual([5000, 0]);
  } finally {
    await full.clean();
  }
}, 300_000);
