import { Chart } from 'cdk8s';
import { NetworkPolicy, Pods } from 'cdk8s-plus-28';
import { STATEFUL_SET, testCluster } from './caches';
import {
  Cache, CacheAcknowledgement, CacheBackup, CacheBatch, CacheCluster, CacheConfiguration, CacheCounterType, CacheRestore, CacheSchema,
  CacheUpdateStrategy, ICacheCluster,
} from '../../lib';
import { find, synthesise } from '../support/synth';

const configuration = CacheConfiguration.distributed();
const proto = 'syntax = "proto3";\nmessage Book { string title = 1; }\n';
const acknowledge = [CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE];

/** A chart with resources of a cluster that was made elsewhere. */
function resources(add: (chart: Chart, cluster: ICacheCluster) => void): any[] {
  const chart = testCluster().chart;
  add(chart, CacheCluster.fromName(chart, 'Orders', 'orders', { namespace: 'shop' }));
  return synthesise(chart).filter(({ kind }) => kind !== 'Infinispan');
}

test('every resource, by default and with everything', () => {
  const objects = resources((chart, cluster) => {
    new Cache(chart, 'books', { cluster, configuration });
    new Cache(chart, 'Everything', {
      cluster, cacheName: 'Books & more', template: 'org.infinispan.DIST_SYNC', updates: CacheUpdateStrategy.RECREATE, labels: { a: 'b' }, annotations: { c: 'd' },
    });
    new CacheSchema(chart, 'book', { cluster, proto });
    new CacheSchema(chart, 'Everything schema', { cluster, proto, schemaName: 'shop/Author.proto', labels: { a: 'b' } });
    const backup = new CacheBackup(chart, 'Nightly', { cluster });
    new CacheBackup(chart, 'Everything backup', {
      cluster,
      resourceName: 'all-of-it',
      storage: '5Gi',
      storageClassName: 'slow',
      resources: { cpuLimit: '1', cpuRequest: '100m', memoryLimit: '2Gi' },
      contents: { caches: ['*'], templates: ['a'], counters: ['b'], schemas: ['c.proto'], tasks: ['d'] },
    });
    new CacheRestore(chart, 'After the fire', { cluster, backupName: backup.backupName, contents: { caches: ['books'] } });
    new CacheBatch(chart, 'Warm up', { cluster, commands: 'cache books\nput a b\n' });
    new CacheBatch(chart, 'Batch of a file', { cluster, configMapName: 'commands', resources: { memoryLimit: '256Mi' } });
  });
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(Array(objects.length).fill('shop'));
  expect(objects).toMatchSnapshot();
});

test('updates are stated: what is lost when a cache cannot be changed is the user\'s choice', () => {
  const strategies = (updates?: CacheUpdateStrategy) => resources((chart, cluster) => new Cache(chart, 'a', { cluster, configuration, updates }))[0].spec.updates;
  expect([strategies(), strategies(CacheUpdateStrategy.RECREATE)]).toEqual([{ strategy: 'retain' }, { strategy: 'recreate' }]);
});

test('a raw configuration reaches the resource byte for byte', () => {
  const text = '{ "distributed-cache" :\r\n {"owners":"2"} }\n';
  expect(resources((chart, cluster) => new Cache(chart, 'a', { cluster, configuration: CacheConfiguration.raw(text) }))[0].spec.template).toBe(text);
});

test('a cluster is what network policies and selectors take', () => {
  const { chart, cluster } = testCluster({ deploymentMode: STATEFUL_SET });
  new NetworkPolicy(chart, 'Policy', { selector: Pods.all(chart, 'All'), egress: { rules: [{ peer: cluster, ports: [] }] } });
  const { egress } = synthesise(chart).find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name !== 'sessions').spec;
  expect(egress[0].to[0].podSelector.matchLabels).toEqual(cluster.podLabels);
});

describe('fails', () => {
  const failing: [string, (chart: Chart, cluster: ICacheCluster) => unknown, string][] = [
    ['a cache with nothing', (chart, cluster) => new Cache(chart, 'a', { cluster }), '[test/a] cache a needs exactly one of configuration and template, given none'],
    ['a cache with both', (chart, cluster) => new Cache(chart, 'a', { cluster, configuration, template: 'b' }), 'given both'],
    ['an empty template', (chart, cluster) => new Cache(chart, 'a', { cluster, template: '' }), 'template of cache a must not be empty'],
    ['an empty schema', (chart, cluster) => new CacheSchema(chart, 'a', { cluster, proto: ' ' }), 'proto of schema a.proto must not be empty'],
    ['a backup of nothing', (chart, cluster) => new CacheBackup(chart, 'a', { cluster, contents: {} }), 'contents must name something, given none'],
    ['a backup with a name that is none', (chart, cluster) => new CacheBackup(chart, 'a', { cluster, resourceName: 'A' }), 'resourceName of a backup'],
    ['a backup without a size', (chart, cluster) => new CacheBackup(chart, 'a', { cluster, storage: 'much' }), 'storage of a backup must be a Kubernetes quantity'],
    ['a restore of nothing', (chart, cluster) => new CacheRestore(chart, 'a', { cluster, backupName: '' }), 'backupName must not be empty'],
    ['a batch of nothing', (chart, cluster) => new CacheBatch(chart, 'a', { cluster }), 'exactly one of commands and configMapName, given none'],
    ['a batch of both', (chart, cluster) => new CacheBatch(chart, 'a', { cluster, commands: 'ls', configMapName: 'b' }), 'given both'],
  ];
  test.each(failing)('%s', (_, make, error) => {
    expect(() => resources(make)).toThrow(error);
  });

  test('a schema for an operator that has no such resource', () => {
    const { cluster } = testCluster({ operatorVersion: '2.5.14' });
    expect(() => cluster.addSchema('a', { proto })).toThrow('CacheSchema of a cluster without a reconciler needs the Schema resource, which the operator has from 2.5.17; given 2.5.14');
    expect(() => testCluster({ operatorVersion: '2.5.17' }).cluster.addSchema('a', { proto })).not.toThrow();
  });

  test('two names of one schema', () => {
    const { chart, cluster } = testCluster();
    cluster.addSchema('a', { proto });
    cluster.addSchema('a.proto', { proto });
    expect(() => synthesise(chart)).toThrow(/schema "a\.proto" of cluster sessions in namespace caches is claimed more than once/);
  });

  test('what only an operator carries out, with the way that there is without one', () => {
    const { chart, cluster } = testCluster({ deploymentMode: STATEFUL_SET });
    expect(() => new CacheBackup(chart, 'b', { cluster })).toThrow('CacheBackup needs deploymentMode OPERATOR');
    expect(() => new CacheRestore(chart, 'c', { cluster, backupName: 'b' })).toThrow('CacheRestore needs deploymentMode OPERATOR');
    expect(() => new CacheBatch(chart, 'd', { cluster, commands: 'ls' })).toThrow('CacheBatch needs deploymentMode OPERATOR');
  });

  test('what nothing would give to the servers', () => {
    const { cluster } = testCluster();
    expect(() => cluster.addTemplate('a', { configuration })).toThrow(
      'template a: nothing would give it to the servers of cluster sessions; give the cluster a reconciler ' +
      '(configReconciler, ConfigReconciler.addCluster), add it where a cluster of deploymentMode STATEFUL_SET is made, or make it over REST');
    expect(() => cluster.addCounter('a')).toThrow('counter a: nothing would give it to the servers');
    expect(() => cluster.addTask('a', { script: '// mode=local,language=javascript\n' })).toThrow('task a: nothing would give it');
    const stateful = testCluster({ deploymentMode: STATEFUL_SET }).cluster;
    expect(() => stateful.addTask('a', { script: '1' })).toThrow('give the cluster a reconciler (configReconciler, ConfigReconciler.addCluster), or make it over REST');
    expect(() => stateful.addSchema('a', { proto })).toThrow('schema a.proto: nothing would give it');
  });

  test('caches of a StatefulSet where it is not made', () => {
    const { chart } = testCluster();
    const cluster = CacheCluster.fromName(chart, 'Other', 'other', { deploymentMode: STATEFUL_SET });
    expect(() => cluster.addCache('a', { configuration })).toThrow('cluster other has no operator, so its caches stand in its own configuration; add it where the cluster is made');
  });

  test('what stands in the configuration of a StatefulSet, and would not work there', () => {
    const { cluster } = testCluster({ deploymentMode: STATEFUL_SET, acknowledge });
    cluster.addTemplate('t', { configuration });
    cluster.addCache('a', { configuration });
    cluster.addCounter('c');
    const raw = (text: string) => ({ configuration: CacheConfiguration.raw(text) });
    expect(() => cluster.addCache('a', { configuration })).toThrow('cache a is declared more than once');
    expect(() => cluster.addCache('a', { template: 't' })).toThrow('cache a is declared more than once');
    expect(() => cluster.addTemplate('t', { configuration })).toThrow('template t is declared more than once');
    expect(() => cluster.addCounter('c')).toThrow('counter c is declared more than once');
    expect(() => cluster.addCache('b', { template: 'unknown' })).toThrow('template unknown of cache b is not one of this cluster\'s: add it by addTemplate first');
    expect(() => cluster.addCache('d', { configuration, updates: CacheUpdateStrategy.RETAIN })).toThrow('updates of cache d is only for deploymentMode OPERATOR, or with a configReconciler: there is no resource');
    expect(() => cluster.addTemplate('u', { configuration: CacheConfiguration.raw('{}') })).toThrow('template u must be a typed configuration');
    expect(() => cluster.addCache('e', raw('<infinispan/>'))).toThrow('raw configuration of cache e in XML cannot stand in the servers\' configuration: its first element must be');
    expect(() => cluster.addCache('f', raw('<!-- a --><local-cache name="f"/>'))).toThrow('it must not have a name');
    expect(() => cluster.addCache('g', raw('{"a":1'))).toThrow('raw configuration of cache g in JSON');
    expect(() => cluster.addCache('h', raw('{"local-cache":{},"b":{}}'))).toThrow('it must have one key such as distributed-cache, given local-cache, b');
    expect(() => cluster.addCache('i', raw('i:\n  localCache: ~\n'))).toThrow('its first key must be such as distributedCache');
    expect(() => cluster.addCache('a: b', raw('localCache: ~\n'))).toThrow('the server reads no YAML key like its name; give it in XML or JSON');
    expect(() => cluster.addCounter('j', { initialValue: 0.5 })).toThrow('initialValue of counter j must be a whole number, given 0.5');
    expect(() => cluster.addCounter('k', { type: CacheCounterType.WEAK, lowerBound: 0 })).toThrow('bounds of counter k need type STRONG');
    expect(() => cluster.addCounter('m', { labels: { a: 'b' } })).toThrow('labels of counter m needs a reconciler: it stands in the servers\' configuration');
    expect(() => cluster.addCounter('l', { upperBound: -1 })).toThrow('initialValue of counter l must be within its bounds, given 0');
  });
});

test('a cluster made elsewhere may be a Helm chart\'s', () => {
  const { chart } = testCluster();
  const cluster = CacheCluster.fromName(chart, 'Chart', 'infinispan', { deploymentMode: STATEFUL_SET, podLabels: { clusterName: 'infinispan', app: 'infinispan-pod' } });
  expect(cluster.podLabels).toEqual({ clusterName: 'infinispan', app: 'infinispan-pod' });
  expect(() => CacheCluster.fromName(chart, 'Bad', 'Not a name')).toThrow('[test/Bad] name of the cluster must be a DNS label');
  expect(find(synthesise(chart), 'Infinispan').metadata.name).toBe('sessions');
});
