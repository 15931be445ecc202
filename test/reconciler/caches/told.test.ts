import { hashOf } from '../../../reconciler/src/caches/cache-record';
import { Told } from '../../../reconciler/src/caches/told';
import { LONGEST_LINE } from '../../../reconciler/src/infinispan/event-reader';

const event = (name: string, count: number) => ({
  of: 'cache' as const, name, data: JSON.stringify({ infinispan: { 'cache-container': { caches: { [name]: { 'local-cache': { memory: { 'max-count': count } } } } } } }),
});
const hash = (count: number) => hashOf(JSON.stringify({ 'local-cache': { memory: { 'max-count': count } } }));
const removed = (name: string) => ({ of: 'cache' as const, name, data: name });

function told(...events: Parameters<Told['tell']>[0][]) {
  const made = new Told();
  events.forEach((one) => made.tell(one));
  made.keep(new Set(['a', 'b']));
  return made;
}

test('what was told once, or as often as one likes, is known', () => {
  const made = told(event('a', 1), event('b', 2), event('b', 2));
  expect([made.hash('a'), made.hash('b'), made.hash('c')]).toEqual([hash(1), hash(2), undefined]);
});

test('where different things were told nothing is known any more, in whatever order', () => {
  expect(told(event('a', 1), event('a', 2), event('a', 2)).hash('a')).toBeUndefined();
  expect(told(removed('a'), event('a', 1)).hash('a')).toBeUndefined();
  expect(told(event('a', 1), removed('a'), event('a', 1)).hash('a')).toBeUndefined();
});

test('nothing is known of what is not in the list, nor before there is one', () => {
  expect(told(event('c', 1)).hash('c')).toBeUndefined();
  const made = new Told();
  made.tell(event('a', 1));
  expect(made.hash('a')).toBeUndefined();
});

test('of what was sent in part nothing is known', () => {
  const { data, ...rest } = event('a', 1);
  expect(told({ ...rest, data: data.slice(0, LONGEST_LINE).slice(0, -1) }).hash('a')).toBeUndefined();
});
