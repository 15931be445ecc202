import { App, Chart, Yaml } from 'cdk8s';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { Cache, CacheCluster, CacheConfiguration } from '../../lib';
import { resourceName } from '../../lib/cache-cluster/names';
import { expectStrict } from '../support/strict-schema';

const NAMES = 10_000;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What the server can be given: no control characters, not its own. */
const serverName = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
  .filter((name) => !/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/.test(name) && !name.startsWith('___'));

describe('10,000 random Unicode names', () => {
  const names = [...new Set(fc.sample(serverName, { numRuns: NAMES + 500, seed: 20_261_130 }))].slice(0, NAMES);

  test('become legal names of resources, and no two of them the same', () => {
    expect(names).toHaveLength(NAMES);
    const resources = names.map((name) => resourceName('sessions', name));
    for (const resource of resources) {
      expect(resource.length).toBeLessThanOrEqual(63);
      expect(resource).toMatch(SUBDOMAIN);
    }
    expect(new Set(resources).size).toBe(NAMES);
  });

  test('come back from the manifest as they were, strictly correct', () => {
    const chart = new Chart(new App(), 'test', { namespace: 'caches' });
    const cluster = CacheCluster.fromName(chart, 'Sessions', 'sessions');
    const configuration = CacheConfiguration.distributed();
    const some = names.filter((_, index) => index % 10 === 0);
    const objects = some.map((name, index) => new Cache(chart, String(index), { cluster, cacheName: name, configuration }).resource!.toJson());
    const read = parseAllDocuments(Yaml.stringify(...objects), { version: '1.1' }).map((document) => document.toJS());
    expect(read.map(({ spec }) => spec.name)).toEqual(some);
    expectStrict(read);
  });
});

test('names that a slug alone would throw together stay apart', () => {
  const alike = ['cache1', 'cache-1', 'my_cache', 'my-cache', 'myCache', 'MyCache', 'my.cache', 'my cache', 'my/cache', 'e\u0301', '\u00e9', 'x', ' x', 'x '];
  expect(new Set(alike.map((name) => resourceName('sessions', name))).size).toBe(alike.length);
  expect(resourceName('sessions', 'x')).not.toBe(resourceName('session', 's-x'));
  expect(resourceName('a', 'b')).not.toBe(resourceName('a-b', ''));
});

test('names of the last release are those of this one', () => {
  expect(['orders', 'x/openshift', 'Ünï ćode', '日本'].map((name) => resourceName('sessions', name))).toMatchInlineSnapshot(`
[
  "sessions-orders-03c3a5a438be",
  "sessions-x-openshift-a5dfd70aad21",
  "sessions-n-ode-0ec0a5849e22",
  "sessions-788fcdfa56ba",
]
`);
});

test.each([
  ['', 'name of a cache must not be empty'],
  ['a\u0000b', 'must not hold control characters, which no format can hold, given "a\\u0000b"'],
  ['a\nb', 'must not hold control characters'],
  ['\ud800', 'must be well-formed Unicode'],
  ['___internal', 'must not begin with ___'],
])('%j fails as a name', (name, error) => {
  const chart = new Chart(new App(), 'test');
  const cluster = CacheCluster.fromName(chart, 'Sessions', 'sessions');
  expect(() => cluster.addCache(name, { configuration: CacheConfiguration.local() })).toThrow(error);
});
