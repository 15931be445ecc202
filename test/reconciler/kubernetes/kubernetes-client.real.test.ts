import { join } from 'path';
import { EventRecorder } from '../../../reconciler/src/kubernetes/event-recorder';
import { KubernetesClient, WatchEvent } from '../../../reconciler/src/kubernetes/kubernetes-client';
import { ServiceAccount } from '../../../reconciler/src/kubernetes/service-account';
import { Watcher } from '../../../reconciler/src/kubernetes/watcher';
import { eventually } from '../../support/http';
import { FaultyProxy } from '../rig/faulty-proxy';
import { NAMESPACE, Rig } from '../rig/rig';

const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const OURS = { labelSelector: 'test=client' };
const KIND = { apiVersion: 'v1', kind: 'ConfigMap' };

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
});

afterAll(async () => rig?.stop());

afterEach(async () => {
  // Not by kubectl, which takes five a second.
  await Promise.all((await list()).found.map(async ({ metadata }) => rig.api.remove(PATH, metadata)));
});

const make = async (name: string, data: Record<string, string> = {}) => rig.api.create<any>(PATH, { ...KIND, metadata: { name, labels: { test: 'client' } }, data });
async function list() {
  const found: any[] = [];
  const version = await rig.api.list(PATH, OURS, (object) => found.push(object));
  return { names: found.map(({ metadata }) => metadata.name), found, version };
}

test('a list of several pages is whole', async () => {
  const names = Array.from({ length: 260 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
  for (let index = 0; index < names.length; index += 20) await Promise.all(names.slice(index, index + 20).map(async (name) => make(name)));
  expect((await list()).names).toEqual(names);
});

test('a watch tells what happened after a version, in any size, and ends by its signal', async () => {
  await make('before');
  const { version } = await list();
  const [seen, stop] = [[] as WatchEvent[], new AbortController()];
  const ended = rig.api.watch(PATH, { ...OURS, resourceVersion: version }, (event) => seen.push(event), stop.signal).catch(() => 'ended');
  const one = await make('one', { text: 'ü'.repeat(400_000) });
  await rig.api.patch(PATH, one.metadata, { data: { text: 'b' } });
  await rig.api.remove(PATH, (await list()).found.find(({ metadata }) => metadata.name === 'one').metadata);
  await eventually('all', async () => seen.length === 3);
  expect(seen.map(({ type, object }) => [type, object.metadata.name, object.data.text.length])).toEqual([['ADDED', 'one', 400_000], ['MODIFIED', 'one', 1], ['DELETED', 'one', 1]]);
  stop.abort();
  expect(await ended).toBe('ended');
});

test('a change, a statement and a removal of what has changed meanwhile, or is another, are refused', async () => {
  const { metadata: old } = await make('one', { a: '1' });
  const now = await rig.api.patch<any>(PATH, old, { data: { a: '2' } });
  await expect(rig.api.patch(PATH, old, { data: { a: '3' } })).rejects.toMatchObject({ status: 409 });
  await expect(rig.api.apply(PATH, old, 'tester', { ...KIND, data: { b: '1' } })).rejects.toMatchObject({ status: 409 });
  await expect(rig.api.remove(PATH, old)).rejects.toMatchObject({ status: 409 });
  await expect(rig.api.remove(PATH, { ...now.metadata, uid: 'another' })).rejects.toMatchObject({ status: 409 });
  await rig.api.remove(PATH, now.metadata);
  // It is gone already, and that is well; but nothing is made by changing it.
  await rig.api.remove(PATH, now.metadata);
  await expect(rig.api.apply(PATH, now.metadata, 'tester', { ...KIND, data: { b: '1' } })).rejects.toMatchObject({ status: 409 });
  expect((await list()).names).toEqual([]);
});

test('what a manager states is there until it states it no more; the rest is left alone', async () => {
  const { metadata } = await make('one', { theirs: '1' });
  const stated = await rig.api.apply<any>(PATH, metadata, 'tester', { ...KIND, data: { ours: '1' }, metadata: { annotations: { x: 'y' } } });
  expect([stated.data, stated.metadata.annotations]).toEqual([{ theirs: '1', ours: '1' }, { x: 'y' }]);
  const after = await rig.api.apply<any>(PATH, stated.metadata, 'tester', KIND);
  expect([after.data, after.metadata.annotations, after.metadata.labels]).toEqual([{ theirs: '1' }, undefined, { test: 'client' }]);
});

test('what the API server refuses is said by its words', async () => {
  await make('one');
  await expect(make('one')).rejects.toThrow('the API server answered 409: configmaps "one" already exists');
  await expect(make('A b')).rejects.toThrow(/^the API server answered 422: ConfigMap "A b" is invalid/);
  await expect(rig.api.list(`${PATH}xyz`, {}, () => undefined)).rejects.toMatchObject({ status: 404 });
});

describe('a watcher', () => {
  /** What it has told, in order. */
  function follow(seconds: number, client = rig.api) {
    const told: string[] = [];
    const stop = new AbortController();
    const watcher = new Watcher<any>(client, { path: PATH, query: OURS, seconds }, {
      put: ({ metadata }) => told.push(`put ${metadata.name}`),
      remove: ({ metadata }) => told.push(`remove ${metadata.name}`),
      listed: (uids) => told.push(`listed ${uids.size}`),
      failed: (error) => told.push(`failed ${(error as { status?: number }).status}`),
    });
    const done = watcher.run(stop.signal);
    const stopped = async () => {
      stop.abort();
      await done;
    };
    return { told, stopped };
  }

  test('lists once, and misses and repeats nothing while its watches end and are taken up again', async () => {
    await make('first');
    const { told, stopped } = follow(1);
    for (let number = 0; number < 6; number++) {
      await make(`n${number}`);
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    await stopped();
    const listed = told.findIndex((one) => one.startsWith('listed'));
    expect(told.filter((one) => one.startsWith('listed'))).toHaveLength(1);
    expect(told.filter((_, index) => index !== listed)).toEqual(['put first', ...Array.from({ length: 6 }, (_, number) => `put n${number}`)]);
  }, 30_000);

  test.each([
    ['by its status', { status: 410, body: '{"message":"too old resource version"}' }],
    ['within the watch', { status: 200, body: '{"type":"ERROR","object":{"code":410,"message":"too old resource version"}}\n' }],
  ])('lists anew when the API server says %s that it does not know the version any more', async (_, answer) => {
    await make('first');
    let watches = 0;
    const proxy = await FaultyProxy.start({
      target: rig.apiServer,
      ca: rig.plane.authority.cert,
      // Not the first, so that there is something that is not told of meanwhile.
      fault: ({ url }) => url!.includes('watch=true') && ++watches === 2 ? { answer } : undefined,
    });
    const client = new KubernetesClient(proxy.url, new ServiceAccount(join(rig.folder, 'admin')));
    const { told, stopped } = follow(1, client);
    await eventually('listed anew', async () => told.filter((one) => one === 'listed 1').length === 2);
    await make('second');
    await eventually('told', async () => told.at(-1) === 'put second');
    expect(told.filter((one) => one.startsWith('failed'))).toEqual(['failed 410']);
    await stopped();
    client.close();
    await proxy.stop();
  });
});

test('an Event is written once until something else is to be said, and it is found at what it is about', async () => {
  const { metadata: { uid } } = await make('one');
  const recorder = new EventRecorder(rig.api, NAMESPACE, 'tester', (error) => {
    throw error;
  });
  const regarding = { kind: 'ConfigMap', name: 'one', uid } as const;
  for (const note of ['a', 'a', 'b']) await recorder.warn(regarding, 'Drifted', note);
  recorder.forget(uid);
  await recorder.warn(regarding, 'Drifted', 'b');
  const events = (await rig.plane.kubectl.list('events.events.k8s.io', NAMESPACE)).filter((event: any) => event.regarding.uid === uid);
  expect(events.map(({ type, reason, note }: any) => `${type} ${reason} ${note}`).sort()).toEqual(['Warning Drifted a', 'Warning Drifted b', 'Warning Drifted b']);
});
