import { Chart } from 'cdk8s';
import { configurationOf, reconciled, rulesOf, shared } from './reconcilers';
import {
  Cache, CacheCluster, CacheConfiguration, CacheCounter, CacheCounterStorage, CacheCounterType, CacheSchema, CacheTask, CacheTemplate,
  CacheUpdateStrategy, ConfigDirection, ConfigReconciling, ConfigRemoval,
} from '../../../lib';
import { definitionRecord } from '../../../reconciler/src/definitions/definition-record';
import { find, synthesise } from '../../support/synth';
import { STATEFUL_SET, testCluster } from '../caches';

const configuration = CacheConfiguration.distributed();
const proto = 'syntax = "proto3";\nmessage Book { string title = 1; }\n';
const script = '// mode=local,language=javascript\n1 + 1\n';

/** ConfigMaps with definitions. */
const definitions = (objects: any[]) => objects.filter(({ metadata }) => metadata.labels?.['cdk8s-platform-services/cache-definition']);

/** One of each kind. */
function addEverything(cluster: CacheCluster) {
  cluster.addCounter('visits');
  cluster.addTemplate('two owners', { configuration });
  cluster.addTask('sum', { script });
  cluster.addSchema('book', { proto });
}

test('in a StatefulSet with a reconciler nothing stands in the servers\' configuration', () => {
  const without = synthesise(reconciled().chart);
  const { chart, cluster } = reconciled();
  addEverything(cluster);
  cluster.addCache('Orders & more', { template: 'two owners', updates: CacheUpdateStrategy.RECREATE, labels: { a: 'b' } });
  const objects = synthesise(chart);
  for (const [kind, name] of [['StatefulSet', 'sessions'], ['ConfigMap', 'sessions-configuration']]) expect(find(objects, kind, name)).toEqual(find(without, kind, name));
  expect(find(objects, 'Cache').spec).toEqual({ clusterName: 'sessions', name: 'Orders & more', templateName: 'two owners', updates: { strategy: 'recreate' } });
  expect(definitions(objects)).toMatchSnapshot();
  expect(configurationOf(objects).definitions).toBe(true);
  expect(rulesOf(objects).slice(-2)).toEqual(['list,watch configmaps', `patch configmaps ${definitions(objects).map(({ metadata }) => metadata.name).sort().join(',')}`]);
});

test('with the operator, what has a resource is one, and the rest are ConfigMaps', () => {
  const kinds = (operatorVersion?: string) => {
    const { chart, cluster } = testCluster({ operatorVersion, configReconciler: ConfigReconciling.own() });
    addEverything(cluster);
    const objects = synthesise(chart);
    return [...definitions(objects).map(({ metadata }) => metadata.labels['cdk8s-platform-services/cache-definition']), ...objects.filter(({ kind }) => kind === 'Schema').map(({ kind }) => kind)];
  };
  expect(kinds()).toEqual(['counter', 'template', 'task', 'Schema']);
  expect(kinds('2.5.14')).toEqual(['counter', 'template', 'task', 'schema']);
});

test('constructs of their own, for a cluster that was made elsewhere', () => {
  const add = (chart: Chart, cluster: CacheCluster | any) => {
    const options = { cluster, annotations: { 'cdk8s-platform-services/paused': 'true' } };
    return [
      new CacheCounter(chart, 'visits', { ...options, type: CacheCounterType.WEAK, initialValue: 5, storage: CacheCounterStorage.PERSISTENT, updates: CacheUpdateStrategy.RECREATE }),
      new CacheTemplate(chart, 'Template', { ...options, templateName: 'a', configuration: CacheConfiguration.raw('<distributed-cache/>') }),
      new CacheTask(chart, 'Task', { ...options, taskName: 'sum.js', script }),
      new CacheSchema(chart, 'book', { ...options, proto }),
    ].map(({ resource }) => resource!.toJson());
  };
  const { chart, reconciler } = shared();
  const cluster = CacheCluster.fromName(chart, 'Shop', 'shop', { deploymentMode: STATEFUL_SET, clientCredentialsSecret: 'client' });
  reconciler.addCluster(cluster);
  const here = add(chart, cluster);
  new Cache(chart, 'orders', { cluster, configuration });
  expect(here.map(({ data }) => data)).toEqual([
    { name: 'visits', definition: '{\n  "weak-counter": {\n    "initial-value": 5,\n    "storage": "PERSISTENT"\n  }\n}\n' },
    { name: 'a', definition: '<distributed-cache/>' },
    { name: 'sum.js', definition: script },
    { name: 'book.proto', definition: proto },
  ]);
  const paused = { 'cdk8s-platform-services/paused': 'true' };
  expect(here.map(({ metadata }) => metadata.annotations)).toEqual([{ ...paused, 'cdk8s-platform-services/update-strategy': 'recreate' }, paused, paused, paused]);
  // As the program reads them.
  expect(here.map(definitionRecord)).toEqual([
    expect.objectContaining({ cluster: 'shop', kind: 'counter', object: 'visits', paused: true, recreate: true }),
    expect.objectContaining({ cluster: 'shop', kind: 'template', object: 'a', paused: true, recreate: false }),
    expect.objectContaining({ cluster: 'shop', kind: 'task', object: 'sum.js', definition: script }),
    expect.objectContaining({ cluster: 'shop', kind: 'schema', object: 'book.proto', definition: proto }),
  ]);
  const objects = synthesise(chart);
  expect(find(objects, 'Cache').spec.name).toBe('orders');

  // An app that has not the reconciler makes the very same objects.
  const other = testCluster().chart;
  const elsewhere = CacheCluster.fromName(other, 'Shop', 'shop', { deploymentMode: STATEFUL_SET, reconciledElsewhere: true });
  expect(add(other, elsewhere)).toEqual(here);
  expect(() => new Cache(other, 'orders', { cluster: elsewhere, configuration })).not.toThrow();
});

test('kinds, caches and clusters never share a name', () => {
  const { chart, cluster } = reconciled();
  cluster.addCounter('a');
  cluster.addTemplate('a', { configuration });
  cluster.addTask('a', { script });
  cluster.addCache('a', { configuration });
  cluster.addCache('counter a', { configuration });
  cluster.addCache('counter-a', { configuration });
  const names = synthesise(chart).map(({ kind, metadata }) => `${kind === 'Cache' ? 'ConfigMap' : kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('whoever removes an object by policy must let any of them go', () => {
  const { chart, cluster } = reconciled({ removal: ConfigRemoval.REMOVE });
  cluster.addCounter('visits');
  expect(rulesOf(synthesise(chart))).toContain('patch configmaps');
});

test('a narrowed direction leaves all in the servers\' configuration', () => {
  const { chart, cluster } = reconciled({ direction: ConfigDirection.SERVER_TO_RESOURCES }, { acknowledge: ['STATIC_CACHES_ON_PERSISTENT_STORAGE' as any] });
  cluster.addTemplate('two owners', { configuration });
  cluster.addCounter('visits');
  cluster.addCache('orders', { template: 'two owners' });
  const objects = synthesise(chart);
  expect(definitions(objects)).toEqual([]);
  const file = find(objects, 'ConfigMap', 'sessions-configuration').data['caches.xml'];
  for (const name of ['two owners', 'visits', 'orders']) expect(file).toContain(`name="${name}"`);
  expect(rulesOf(objects)).not.toContain('patch infinispan.org/caches/status');
});

describe('fails', () => {
  test('what is longer than client-side apply takes', () => {
    const { cluster } = reconciled();
    expect(() => cluster.addTask('long', { script: 'x'.repeat(240 * 1024) })).toThrow(/task long would need a ConfigMap of 2\d+ bytes, at most 245760 are allowed: client-side apply ends there/);
    expect(() => cluster.addTask('short', { script: 'x'.repeat(239 * 1024) })).not.toThrow();
  });

  test('one name twice', () => {
    const { chart, cluster } = reconciled();
    cluster.addCounter('visits');
    cluster.addCounter('visits');
    expect(() => synthesise(chart)).toThrow('counter "visits" of cluster sessions in namespace caches is claimed more than once');
  });

  test('names and texts that no server takes', () => {
    const { cluster } = reconciled();
    expect(() => cluster.addCounter('')).toThrow('name of a counter must not be empty');
    expect(() => cluster.addTask('___a', { script })).toThrow('name of a task must not begin with ___');
    expect(() => cluster.addTask('a', { script: ' ' })).toThrow('script of task a must not be empty');
    expect(() => cluster.addSchema('a', { proto: ' ' })).toThrow('proto of schema a.proto must not be empty');
    expect(() => cluster.addCounter('b', { upperBound: -1 })).toThrow('initialValue of counter b must be within its bounds, given 0');
  });
});
