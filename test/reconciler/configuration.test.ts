import { parseConfiguration } from '../../reconciler/src/configuration';

const CLUSTER = { name: 'sessions', url: 'http://sessions-admin.caches.svc:11223', direction: 'both' };
const parse = (change: object = {}, cluster: object = {}) => parseConfiguration(JSON.stringify({ instance: 'one', clusters: [{ ...CLUSTER, ...cluster }], ...change }));

test('what is left out has a default', () => {
  expect(parse()).toEqual({
    instance: 'one',
    namespace: undefined,
    logLevel: 'info',
    orphans: 'keep',
    definitions: false,
    clusters: [{
      name: 'sessions',
      url: CLUSTER.url,
      secret: undefined,
      usernameKey: 'username',
      passwordKey: 'password',
      caFile: undefined,
      serverName: undefined,
      operator: false,
      perPod: undefined,
      direction: 'both',
      removal: 'keep-cache',
      paused: false,
    }],
  });
});

test.each<[string, object, object, string]>([
  ['no instance', { instance: undefined }, {}, 'instance is missing'],
  ['an instance that is no name', { instance: 'A b' }, {}, 'instance must be text like'],
  ['a word that is not known', { orphans: 'burn' }, {}, 'orphans must be keep or remove, given "burn"'],
  ['a field that is not known', { orphan: 'keep' }, {}, 'orphan is not known; there are instance, namespace, logLevel, orphans'],
  ['a field of a cluster that is not known', {}, { uri: 'x' }, 'clusters[0].uri is not known; there are name, url'],
  ['an address with a path', {}, { url: 'http://server/rest' }, 'clusters[0].url must be text like'],
  ['text for a truth', {}, { paused: 'true' }, 'clusters[0].paused must be true or false, given "true"'],
  ['a Service that is no name', {}, { perPod: 'A b' }, 'clusters[0].perPod must be text like'],
  ['a word for a truth', { definitions: 'yes' }, {}, 'definitions must be true or false, given "yes"'],
  ['both directions beside an operator', {}, { operator: true }, 'clusters[0].direction must be server-to-resources with an operator'],
  ['a cluster twice', { clusters: [CLUSTER, CLUSTER] }, {}, 'clusters has sessions twice'],
  ['no list of clusters', { clusters: {} }, {}, 'clusters must be a list'],
  ['a cluster that is none', { clusters: [null] }, {}, 'clusters[0] must be an object'],
])('%s is refused', (_, change, cluster, message) => {
  expect(() => parse(change, cluster)).toThrow(message);
});

test.each([['{', 'the configuration is not JSON: '], ['[]', 'the configuration must be an object']])('%s is refused', (text, message) => {
  expect(() => parseConfiguration(text)).toThrow(message);
});
