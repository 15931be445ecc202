import { resource } from './resources';
import { CacheIndex } from '../../../reconciler/src/caches/cache-index';

function index() {
  const changed: string[] = [];
  return { made: new CacheIndex((cluster, cache) => changed.push(`${cluster}/${cache}`)), changed };
}

test('a resource is found by what it stands for, and a change is told', () => {
  const { made, changed } = index();
  made.put(resource({ uid: 'a' }));
  made.put(resource({ uid: 'a', resourceVersion: '2' }, { name: 'other' }));
  expect(changed).toEqual(['sessions/orders', 'sessions/orders', 'sessions/other']);
  expect([made.of('sessions', 'orders').length, made.of('sessions', 'other').length, made.keysOf('sessions')]).toEqual([0, 1, ['other']]);
  made.remove('a');
  expect([made.size, made.clusters()]).toEqual([0, []]);
});

test('an own write is known at once, and neither it nor its echo is a change', () => {
  const { made, changed } = index();
  made.learn(resource({ uid: 'a', resourceVersion: '10' }));
  made.put(resource({ uid: 'a', resourceVersion: '10' }));
  expect(changed).toEqual([]);
  expect(made.of('sessions', 'orders')).toHaveLength(1);
});

test('what is older than what is known is passed over, also where versions differ in length', () => {
  const { made } = index();
  made.learn(resource({ uid: 'a', resourceVersion: '100', generation: 2 }));
  made.put(resource({ uid: 'a', resourceVersion: '99', generation: 1 }));
  expect(made.of('sessions', 'orders')[0].generation).toBe(2);
});

test('what is not in a new list is gone', () => {
  const { made, changed } = index();
  made.put(resource({ uid: 'a' }));
  made.put(resource({ uid: 'b' }, { name: 'b' }));
  changed.length = 0;
  made.keep(new Set(['b']));
  expect([changed, made.keysOf('sessions')]).toEqual([['sessions/orders'], ['b']]);
});

test('the answer to a write that comes after the news that the resource is gone does not bring it back, but the API server does', () => {
  const { made, changed } = index();
  made.put(resource({ uid: 'a' }));
  made.remove('a');
  expect(made.learn(resource({ uid: 'a', resourceVersion: '2' }))).toBeUndefined();
  expect([made.size, changed.length]).toEqual([0, 2]);
  made.put(resource({ uid: 'a', resourceVersion: '3' }));
  expect(made.size).toBe(1);
});
