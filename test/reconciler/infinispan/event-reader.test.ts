import * as fc from 'fast-check';
import { eventReader, LONGEST_LINE } from '../../../reconciler/src/infinispan/event-reader';
import { counterJson, frame, schemaJson } from '../rig/stand-in';

function read(...chunks: string[]) {
  const seen: string[] = [];
  const feed = eventReader({
    event: ({ of, name }) => seen.push(`${of} ${name}`),
    ignored: (type) => seen.push(`ignored ${type}`),
    unreadable: (type) => seen.push(`unreadable ${type}`),
    cut: () => seen.push('cut'),
  });
  chunks.forEach(feed);
  return seen;
}

const create = (name: string, configuration: object = { 'local-cache': {} }) =>
  frame('create-cache', JSON.stringify({ infinispan: { 'cache-container': { caches: { [name]: configuration } } } }));

test('caches, templates, schemas and counters are told by their names, whatever happened to them', () => {
  expect(read(
    create('a "b" \\ ü'), frame('update-cache', create('x').split('data: ')[1].trim()), frame('remove-cache', 'a: "b"'),
    frame('create-schema', schemaJson('a.proto', 'message A {}\n')), frame('update-schema', schemaJson('b.proto', '')), frame('remove-schema', 'c.proto'),
    frame('create-template', create('t', { 'local-cache-configuration': {} }).split('data: ')[1].trim()), frame('remove-template', 't'),
    frame('create-counter', counterJson('strong', 'hits')), frame('create-counter', counterJson('weak', 'w')), frame('remove-counter', 'hits'),
  )).toEqual([
    'cache a "b" \\ ü', 'cache x', 'cache a: "b"', 'schema a.proto', 'schema b.proto', 'schema c.proto', 'template t', 'template t', 'counter hits', 'counter w', 'counter hits',
  ]);
});

test('what is not known is passed over', () => {
  expect(read(frame('lifecycle-event', '{}'), frame('rename-cache', 'orders'))).toEqual(['ignored lifecycle-event', 'ignored rename-cache']);
});

test('an event that names nothing is told apart', () => {
  expect(read(frame('create-cache', '{"infinispan":{"cache-container":{"caches":{}}}}'), frame('create-cache', 'null'))).toEqual(['unreadable create-cache', 'unreadable create-cache']);
});

test('a longer event than is kept is read by its beginning, and so is what follows it', () => {
  const long = create('long', { 'local-cache': { aliases: ['a'.repeat(8 * 1024 * 1024)] } });
  const chunks = long.match(/[^]{1,65536}/g)!;
  expect(read(create('before'), ...chunks, create('after'))).toEqual(['cache before', 'cut', 'cache long', 'cache after']);
  expect(read(create('edge', { x: 'a'.repeat(LONGEST_LINE) }) + create('after'))).toEqual(['cut', 'cache edge', 'cache after']);
});

test('it does not matter where the stream is cut into chunks', () => {
  const names = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[\r\n]/.test(name)), { minLength: 1, maxLength: 5 });
  fc.assert(fc.property(names, fc.array(fc.nat(500)), (all, cuts) => {
    const stream = all.map((name) => create(name) + frame('remove-cache', name)).join('');
    const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
    const chunks = places.slice(1).map((end, index) => stream.slice(places[index], end));
    expect(read(...chunks)).toEqual(all.flatMap((name) => [`cache ${name}`, `cache ${name}`]));
  }));
});
