import { Duration } from 'cdk8s';
import { parse } from 'yaml';
import {
  CacheBackupFailurePolicy, CacheConfiguration, CacheConfigurationFormat, CacheIndexStorage, CacheIsolation, CacheReplication, CacheStore,
  CacheTransactionLocking, CacheTransactionMode, CacheWhenFull, DistributedCacheOptions, LocalCacheOptions,
} from '../../../lib';
import { CONFIGURATIONS } from '../caches';

const { XML, JSON: JSON_FORMAT, YAML } = CacheConfigurationFormat;

describe.each(Object.entries(CONFIGURATIONS))('a cache %s', (_, make) => {
  test('is the same in JSON and in YAML, but for the case of keys and quotes', () => {
    const json = JSON.parse(make(JSON_FORMAT).render());
    expect(kebab(parse(make(YAML).render()))).toEqual(quoted(json));
  });

  test('is written as it was in the last release', () => {
    for (const format of [XML, JSON_FORMAT, YAML]) expect(make(format).render()).toMatchSnapshot(format);
  });
});

test('YAML is the format unless another one is asked for', () => {
  expect(CacheConfiguration.distributed().render()).toBe('distributedCache:\n  owners: "2"\n  mode: "SYNC"\n  statistics: "true"\n');
  expect(CacheConfiguration.distributed().format).toBe(YAML);
});

test('what is long or odd is neither folded nor lost', () => {
  const entity = `shop.${'Long'.repeat(50)}`;
  const options = { indexedEntities: [entity], roles: ['a"b', 'c&d<e>'], encoding: 'application/x-protostream' };
  const json = JSON.parse(CacheConfiguration.distributed({ ...options, format: JSON_FORMAT }).render())['distributed-cache'];
  expect(json).toMatchObject({ indexing: { 'indexed-entities': [entity] }, security: { authorization: { roles: options.roles } } });
  expect(parse(CacheConfiguration.distributed(options).render()).distributedCache.security.authorization.roles).toEqual(options.roles);
  expect(CacheConfiguration.distributed({ ...options, format: XML }).render()).toContain('roles="a&#34;b c&#38;d&#60;e&#62;"');
});

describe('a raw configuration', () => {
  test.each([
    ['<local-cache/>\n', XML],
    ['{ "local-cache" : {} }', JSON_FORMAT],
    ['# mine\nlocalCache: ~\n', YAML],
    [`localCache:\n  a: "${'x'.repeat(200)}"\r\n`, YAML],
  ])('%j is handed on byte for byte', (text, format) => {
    const configuration = CacheConfiguration.raw(text);
    expect(configuration.render()).toBe(text);
    expect(configuration.format).toBe(format);
  });

  test('fails when the operator would take it for another format, or when it is empty', () => {
    expect(() => CacheConfiguration.raw(' <local-cache/>')).toThrow('must begin with < or {');
    expect(() => CacheConfiguration.raw('\uFEFF{}')).toThrow('must begin with < or {');
    expect(() => CacheConfiguration.raw(' \n')).toThrow('must not be empty');
  });
});

const files = [CacheStore.file()];
const database = [CacheStore.jdbc({ dataSource: 'jdbc/a' })];

describe('what the server refuses, or does nothing with, fails', () => {
  const distributed: [DistributedCacheOptions, string][] = [
    [{ owners: 0 }, 'owners must be a whole number of at least 1, given 0'],
    [{ owners: 1.5 }, 'owners must be a whole number of at least 1, given 1.5'],
    [{ segments: 0 }, 'segments must be a whole number of at least 1, given 0'],
    [{ capacityFactor: -1 }, 'capacityFactor must be at least 0, given -1'],
    [{ maxCount: 0 }, 'maxCount must be a whole number of at least 1, given 0'],
    [{ maxCount: 1, maxSize: '1Mi' }, 'maxCount and maxSize: the server knows one bound only'],
    [{ maxSize: '1Mi' }, 'needs an encoding of bytes'],
    [{ maxSize: '1Mi', encoding: 'application/x-java-object' }, 'needs an encoding of bytes'],
    [{ maxSize: '1 MB', encoding: 'text/plain' }, 'maxSize must be a Kubernetes quantity'],
    [{ maxSize: '0', encoding: 'text/plain' }, 'maxSize must be at least one byte, given 0'],
    [{ whenFull: CacheWhenFull.REMOVE }, 'whenFull REMOVE needs maxCount or maxSize'],
    [{ whenFull: CacheWhenFull.EXCEPTION, maxCount: 1 }, 'whenFull EXCEPTION needs transactions NON_DURABLE_XA or FULL_XA, given none'],
    [{ whenFull: CacheWhenFull.EXCEPTION, maxCount: 1, transactions: CacheTransactionMode.NON_XA }, 'given NON_XA'],
    [{ encoding: 'nonsense' }, 'must be a media type such as application/x-protostream, given "nonsense"'],
    [{ encoding: 'text/plain', keyEncoding: 'text/plain' }, 'encoding beside keyEncoding or valueEncoding'],
    [{ keyEncoding: 'text/plain' }, 'keyEncoding and valueEncoding belong together'],
    [{ passivation: true, maxCount: 1 }, 'passivation needs stores'],
    [{ passivation: true, stores: files }, 'passivation needs maxCount or maxSize'],
    [{ passivation: true, maxCount: 1, stores: database }, 'passivation with CacheStore.jdbc, which all servers share'],
    [{ passivation: true, maxCount: 1, stores: [CacheStore.file({ readOnly: true })] }, 'passivation with a store that is readOnly'],
    [{ maxIdle: Duration.seconds(1), stores: files }, 'maxIdle with stores needs passivation'],
    [{ transactionLocking: CacheTransactionLocking.PESSIMISTIC }, 'transactionLocking PESSIMISTIC needs transactions'],
    [{ isolation: CacheIsolation.READ_COMMITTED }, 'isolation READ_COMMITTED needs transactions'],
    [{ transactions: CacheTransactionMode.NON_XA, replication: CacheReplication.ASYNC }, 'transactions NON_XA with replication ASYNC'],
    [{ indexStorage: CacheIndexStorage.LOCAL_HEAP }, 'indexStorage local-heap needs indexedEntities'],
    [{ indexedEntities: [] }, 'indexedEntities must hold at least one name, given none'],
    [{ roles: [] }, 'roles must hold at least one name, given none'],
    [{ roles: ['a b'] }, 'a role must be a name without spaces, given "a b"'],
    [{ backups: [{ site: '' }] }, 'site of a backup must have letters, digits'],
    [{ backups: [{ site: 'A' }, { site: 'A' }] }, 'backups name site A twice'],
    [{ backups: [{ site: 'A', failurePolicy: CacheBackupFailurePolicy.FAIL }] }, 'failurePolicy FAIL of backup A needs strategy SYNC'],
  ];
  test.each(distributed)('%j: %s', (options, error) => {
    expect(() => CacheConfiguration.distributed(options)).toThrow(error);
  });

  test('an index of an invalidation cache', () => {
    const options: LocalCacheOptions = { indexedEntities: ['shop.Book'] };
    expect(() => CacheConfiguration.invalidation(options)).toThrow('configuration of a invalidation-cache: indexedEntities with an invalidation cache');
    expect(() => CacheConfiguration.local(options)).not.toThrow();
  });

  test('stores that contradict themselves', () => {
    expect(() => CacheStore.file({ preload: true, purge: true })).toThrow('CacheStore.file with preload and purge');
    expect(() => CacheStore.file({ readOnly: true, purge: true })).toThrow('CacheStore.file with readOnly and purge');
    expect(() => CacheStore.file({ readOnly: true, writeBehindQueue: 1 })).toThrow('CacheStore.file with readOnly and writeBehindQueue');
    expect(() => CacheStore.file({ writeBehindQueue: 0 })).toThrow('writeBehindQueue of CacheStore.file must be a whole number of at least 1, given 0');
    expect(() => CacheStore.jdbc({ dataSource: '' })).toThrow('dataSource of CacheStore.jdbc must not be empty');
    expect(() => CacheStore.remote({ cache: 'a', host: '' })).toThrow('cache and host of CacheStore.remote must not be empty');
  });
});

test('a store of another cluster', () => {
  const options = { stores: [CacheStore.remote({ cache: 'old', host: 'old.caches.svc' })], format: JSON_FORMAT };
  expect(JSON.parse(CacheConfiguration.distributed(options).render())['distributed-cache'].persistence).toEqual({
    'passivation': false,
    'remote-store': { 'cache': 'old', 'segmented': false, 'raw-values': true, 'shared': true, 'purge': false, 'remote-server': { host: 'old.caches.svc', port: 11222 } },
  });
});

/** Keys in the case of JSON. Those that are the user's have none of their own here. */
function kebab(value: any): any {
  if (Array.isArray(value)) return value.map(kebab);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [/^[A-Z]/.test(key) ? key : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), kebab(inner)]));
}

/** Scalars as texts. */
function quoted(value: any): any {
  if (Array.isArray(value)) return value.map(quoted);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, quoted(inner)]));
}
