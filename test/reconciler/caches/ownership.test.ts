import * as fc from 'fast-check';
import { marked, resource } from './resources';
import { cacheRecord } from '../../../reconciler/src/caches/cache-record';
import { MARK, UNMANAGED } from '../../../reconciler/src/caches/marks';
import { ownersOf } from '../../../reconciler/src/caches/ownership';
import { CacheResource } from '../../../reconciler/src/kubernetes/objects';

const record = (...args: Parameters<typeof resource>) => cacheRecord(resource(...args));

test('only what carries the mark is a mirror, and not once somebody has called it unmanaged', () => {
  const { user, mirrors } = ownersOf([
    record({ uid: 'mirror', ...marked }), record({ uid: 'user', labels: { 'app.kubernetes.io/managed-by': 'config-reconciler' } }),
  ]);
  expect([user?.uid, mirrors.map(({ uid }) => uid)]).toEqual(['user', ['mirror']]);
  expect(ownersOf([record({ uid: 'taken', annotations: { [MARK]: 'reconciler', [UNMANAGED]: 'true' } })]).user?.uid).toBe('taken');
});

test('of several resources of users the oldest counts, in whatever order they are seen; of those of one second always the same', () => {
  const all = [
    record({ uid: 'c', creationTimestamp: '2026-01-01T00:00:01Z' }), record({ uid: 'b', creationTimestamp: '2026-01-01T00:00:01Z' }),
    record({ uid: 'a', creationTimestamp: '2026-01-01T00:00:02Z' }), record({ uid: 'mirror', ...marked, creationTimestamp: '2020-01-01T00:00:00Z' }),
  ];
  fc.assert(fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (some) => {
    const { user, rivals } = ownersOf(some);
    expect([user?.uid, rivals.map(({ uid }) => uid)]).toEqual(['b', ['c', 'a']]);
  }));
});

test('one that is being removed counts no more', () => {
  const { user, leaving } = ownersOf([
    record({ uid: 'old', deletionTimestamp: '2026-01-02T00:00:00Z' }), record({ uid: 'new', creationTimestamp: '2026-02-01T00:00:00Z' }),
  ]);
  expect([user?.uid, leaving.map(({ uid }) => uid)]).toEqual(['new', ['old']]);
});

test('without spec.name a resource stands for the cache of its own name', () => {
  expect([record({ uid: 'u', name: 'mine' }, { name: undefined }).cache, record({ uid: 'u', name: 'mine' }, { name: '' }).cache]).toEqual(['mine', 'mine']);
});

test('without a spec it is of no cluster', () => {
  const { metadata } = resource({ uid: 'u', name: 'mine' });
  expect(cacheRecord({ metadata } as CacheResource)).toMatchObject({ cluster: '', cache: 'mine' });
});

test('of mirrors no text is kept in memory', () => {
  expect(JSON.stringify(record({ uid: 'm', ...marked }, { template: 'long text' }))).not.toContain('long text');
  expect(record({ uid: 'u' }, { template: 'long text' }).template).toBe('long text');
});
