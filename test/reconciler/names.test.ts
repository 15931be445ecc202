import * as fc from 'fast-check';
import { resourceName } from '../../lib/cache-cluster/names';
import { mirrorName, mirrorNames } from '../../reconciler/src/names';

const cache = fc.string({ unit: 'grapheme', minLength: 1 });

test('every name of a cache makes a legal name of a resource, which is also a legal label', () => {
  fc.assert(fc.property(cache, (name) => {
    const names = mirrorNames('sessions', name);
    for (const each of names) expect(each).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])$/);
    expect(new Set(names).size).toBe(names.length);
  }));
});

test('names that look alike make different ones, and so do clusters', () => {
  const names = ['cache1', 'cache-1', 'my_cache', 'my.cache', 'myCache', 'MyCache', 'my-cache', ' my-cache', '_x', 'x', 'x/y', 'x-y'];
  const made = names.flatMap((name) => [mirrorName('a', name), mirrorName('b', name), mirrorName('a-b', name)]);
  expect(new Set(made).size).toBe(made.length);
});

test('a mirror never has the name of the library\'s own resource for any cache', () => {
  fc.assert(fc.property(cache, cache.filter((name) => !name.includes('\0')), (mirrored, own) => {
    expect(mirrorNames('sessions', mirrored)).not.toContain(resourceName('sessions', own));
  }));
});

test('it stays what it is from release to release', () => {
  expect(mirrorName('sessions', 'a b/c')).toBe('sessions-mirror-a-b-c-085880efb4c9');
});
