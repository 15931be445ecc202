import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { App, JsonPatch } from 'cdk8s';
import { testCluster } from './caches';
import { CacheBackup, CacheBatch, CacheCluster, CacheConfiguration, CacheRestore, CacheSchema, CacheStorage } from '../../lib';
import { WEBHOOK_RULES, webhookErrors } from '../../lib/cache-cluster/webhook-rules';
import { toYaml } from '../rig/kubectl';
import { synthesise } from '../support/synth';

const infinispan = (spec: object) => ({ kind: 'Infinispan', metadata: { name: 'a' }, spec: { replicas: 1, ...spec } });
const resource = (kind: string, spec: object) => ({ kind, metadata: { name: 'a' }, spec });
const cache = (spec: object) => resource('Cache', { clusterName: 'c', name: 'n', template: '<local-cache/>', updates: { strategy: 'retain' }, ...spec });
const encryption = (endpointEncryption: object) => infinispan({ security: { endpointEncryption } });
const local = (spec: object) => infinispan({ service: { sites: { local: { name: 'LON', expose: { type: 'ClusterIP' }, ...spec } } } });

/** By rule: what is refused, with the object of the last release where it matters; and what is not. */
const CASES: Record<string, { readonly refused: [object, string, object?][]; readonly allowed: [object, object?][] }> = {
  'a cluster is named': {
    refused: [
      [cache({ clusterName: '' }), 'the name of the cluster must not be empty'],
      [resource('Backup', {}), 'the name of the cluster must not be empty'],
    ],
    allowed: [[cache({})], [resource('Backup', { cluster: 'c' })]],
  },
  'requests are not above limits': {
    refused: [
      [infinispan({ container: { memory: '1Gi:2Gi' } }), 'spec.container.memory must be limit:request with the request not above the limit, given 1Gi:2Gi'],
      [infinispan({ container: { cpu: '100m:1' } }), 'spec.container.cpu must be limit:request'],
      [infinispan({ container: { cpu: 'many' } }), 'must be a Kubernetes quantity'],
      [infinispan({ configListener: { enabled: true, memory: '64Mi:1Gi' } }), 'spec.configListener.memory'],
      [local({ discovery: { cpu: '1:2' } }), 'spec.service.sites.local.discovery.cpu'],
      [resource('Batch', { cluster: 'c', config: 'x', container: { cpu: '1:2' } }), 'spec.container.cpu'],
    ],
    allowed: [[infinispan({ container: { memory: '2Gi:1Gi', cpu: '1' } })]],
  },
  'storage is a quantity': {
    refused: [[infinispan({ service: { container: { storage: 'much' } } }), 'spec.service.container.storage must be a Kubernetes quantity']],
    allowed: [[infinispan({ service: { container: { storage: '2Gi' } } })]],
  },
  'encryption has a certificate': {
    refused: [
      [encryption({ type: 'Secret' }), 'of type Secret needs certSecretName'],
      [encryption({ type: 'Service', certServiceName: 'a' }), 'of type Service needs certSecretName'],
      [encryption({ type: 'Secret', certSecretName: 'a', certServiceName: 'b' }), 'of type Secret must not have certServiceName'],
    ],
    allowed: [[encryption({ type: 'None' })], [encryption({ type: 'Secret', certSecretName: 'a' })]],
  },
  'a library has one source': {
    refused: [
      [infinispan({ dependencies: { artifacts: [{}] } }), 'exactly one of url and maven'],
      [infinispan({ dependencies: { artifacts: [{ url: 'https://a', maven: 'a:b:c' }] } }), 'exactly one of url and maven'],
    ],
    allowed: [[infinispan({ dependencies: { artifacts: [{ maven: 'a:b:c' }] } })]],
  },
  'no autoscaling': { refused: [[infinispan({ autoscale: { maxReplicas: 2 } }), 'spec.autoscale is refused']], allowed: [[infinispan({})]] },
  'the service type is DataGrid': { refused: [[infinispan({ service: { type: 'Cache' } }), 'spec.service.type Cache is refused']], allowed: [[infinispan({ service: { type: 'DataGrid' } })]] },
  'upgrades are of a known type': {
    refused: [
      [infinispan({ upgrades: { type: 'Rolling' } }), 'spec.upgrades.type must be Shutdown, InPlaceRolling or HotRodRolling, given Rolling'],
      [infinispan({ upgrades: { type: 'HotRodRolling' }, service: { sites: {} } }), 'HotRodRolling with spec.service.sites'],
      [infinispan({ upgrades: { type: 'InPlaceRolling' }, version: '15.2.6' }), 'InPlaceRolling needs version 16.0.0, given 15.2.6'],
    ],
    allowed: [[infinispan({ upgrades: { type: 'InPlaceRolling' }, version: '16.0.0' })]],
  },
  'a site that is exposed by a Route has TLS': {
    refused: [[local({ expose: { type: 'Route' } }), 'spec.service.sites.local.expose of type Route needs encryption']],
    allowed: [[local({ expose: { type: 'Route' }, encryption: {} })], [local({})]],
  },
  'heartbeats are shorter than their timeout': {
    refused: [
      [local({ discovery: { heartbeats: { interval: 30_000 } } }), 'given 30000 and 30000 milliseconds'],
      [local({ discovery: { heartbeats: { interval: 0 } } }), 'given 0 and 30000 milliseconds'],
    ],
    allowed: [[local({ discovery: { heartbeats: { enabled: false, interval: 0 } } })], [local({})]],
  },
  'the version is not older than before': {
    refused: [[infinispan({ version: '15.2.5' }), 'spec.version 15.2.5 is older than 15.2.6', infinispan({ version: '15.2.6' })]],
    allowed: [[infinispan({ version: '15.10.0' }), infinispan({ version: '15.9.0' })], [infinispan({}), infinispan({ version: '15.2.6' })]],
  },
  'JMX and storage are immutable': {
    refused: [
      [infinispan({ jmx: { enabled: true } }), 'spec.jmx.enabled must not change', infinispan({})],
      [infinispan({ service: { container: { storage: '2Gi' } } }), 'spec.service.container.storage must not change, given 2Gi after 1Gi', infinispan({})],
    ],
    allowed: [[infinispan({ jmx: { enabled: false } }), infinispan({})], [infinispan({ jmx: { enabled: true } })]],
  },
  'a cache has one configuration or one template': {
    refused: [
      [cache({ templateName: 'a' }), 'spec.template and spec.templateName: give one of both'],
      [cache({ template: '' }), 'spec.template or spec.templateName must be given'],
      [cache({ template: ' <local-cache/>' }), 'spec.template must begin with < or {'],
    ],
    allowed: [[cache({})], [cache({ template: undefined, templateName: 'a' })]],
  },
  'updates have a known strategy': {
    refused: [[cache({ updates: { strategy: 'replace' } }), 'must be retain or recreate, given replace'], [cache({ updates: undefined }), 'given undefined']],
    allowed: [[cache({ updates: { strategy: 'recreate' } })]],
  },
  'cluster and name are immutable': {
    refused: [
      [cache({ name: 'm' }), 'spec.name must not change, given m after n', cache({})],
      [cache({ clusterName: 'd' }), 'spec.clusterName must not change, given d after c', cache({})],
      [resource('Schema', { clusterName: 'c', name: 'b', schema: 'x' }), 'spec.name must not change', resource('Schema', { clusterName: 'c', name: 'a', schema: 'x' })],
    ],
    allowed: [[cache({ template: '{}' }), cache({})]],
  },
  'a schema is not empty': {
    refused: [[resource('Schema', { clusterName: 'c', schema: '' }), 'spec.schema must not be empty']], allowed: [[resource('Schema', { clusterName: 'c', schema: 'x' })]],
  },
  'a backup is named': { refused: [[resource('Restore', { cluster: 'c' }), 'spec.backup must not be empty']], allowed: [[resource('Restore', { cluster: 'c', backup: 'b' })]] },
  'a batch has one source': {
    refused: [
      [resource('Batch', { cluster: 'c' }), 'exactly one of spec.config and spec.configMap'],
      [resource('Batch', { cluster: 'c', config: 'a', configMap: 'b' }), 'exactly one of spec.config and spec.configMap'],
    ],
    allowed: [[resource('Batch', { cluster: 'c', config: 'a' })]],
  },
  'what was done is immutable': {
    refused: [[resource('Backup', { cluster: 'c', volume: { storage: '2Gi' } }), 'spec of a Backup must not change', resource('Backup', { cluster: 'c' })]],
    allowed: [[resource('Backup', { cluster: 'c', container: { cpu: '1', memory: '1Gi' } }), resource('Backup', { container: { memory: '1Gi', cpu: '1' }, cluster: 'c' })]],
  },
};

test('every rule has its cases', () => {
  expect(Object.keys(CASES)).toEqual(WEBHOOK_RULES.map(({ name }) => name));
});

describe.each(Object.entries(CASES))('%s', (name, { refused, allowed }) => {
  const rule = WEBHOOK_RULES.find((each) => each.name === name)!;
  const errorOf = (object: any, previous?: any) => rule.kinds.includes(object.kind) ? rule.check(object.spec, previous?.spec, object) : undefined;

  test('refuses', () => {
    for (const [object, error, previous] of refused) {
      expect(errorOf(object, previous)).toContain(error);
      expect(webhookErrors(object, previous)).toContainEqual(expect.stringContaining(error));
    }
  });

  test('allows', () => {
    for (const [object, previous] of allowed) expect(errorOf(object, previous)).toBeUndefined();
  });
});

jest.setTimeout(30_000);

describe('the rules are asked at synth', () => {
  const errors = (chart: any) => () => App.of(chart).synthYaml();

  test('of what the user has patched', () => {
    const { chart, cluster } = testCluster();
    cluster.resource.addJsonPatch(JsonPatch.add('/spec/autoscale', { maxReplicas: 3 }));
    expect(errors(chart)).toThrow(/\[test\/Sessions\] Infinispan sessions: spec\.autoscale is refused by the operator/);
  });

  test('of each kind of resource', () => {
    const { chart, cluster } = testCluster();
    const patched = {
      Cache: cluster.addCache('a', { configuration: CacheConfiguration.local() }).resource!,
      Schema: new CacheSchema(chart, 'S', { cluster, proto: 'syntax = "proto3";' }).resource,
      Backup: new CacheBackup(chart, 'B', { cluster }).resource,
      Restore: new CacheRestore(chart, 'R', { cluster, backupName: 'b' }).resource,
      Batch: new CacheBatch(chart, 'T', { cluster, commands: 'ls' }).resource,
    };
    for (const [kind, object] of Object.entries(patched)) {
      object.addJsonPatch(JsonPatch.replace(['Cache', 'Schema'].includes(kind) ? '/spec/clusterName' : '/spec/cluster', ''));
      expect(object.kind).toBe(kind);
    }
    const messages = chart.node.findAll().flatMap((construct) => construct.node.validate());
    for (const kind of Object.keys(patched)) expect(messages).toContainEqual(expect.stringMatching(new RegExp(`^${kind} .*: the name of the cluster must not be empty`)));
  });

  test('against the manifest of the last release', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    try {
      const path = join(folder, 'last.yaml');
      const release = (size: string, previousManifest?: string, storage = '1Gi') => {
        const { chart, cluster } = testCluster({ storage: CacheStorage.persistent({ size }), previousManifest });
        new CacheBackup(chart, 'Nightly', { cluster, storage });
        return chart;
      };
      writeFileSync(path, toYaml(synthesise(release('1Gi'))));
      expect(errors(release('1Gi', path))).not.toThrow();
      expect(errors(release('2Gi', path))).toThrow('Infinispan sessions: spec.service.container.storage must not change, given 2Gi after 1Gi');
      expect(errors(release('1Gi', path, '2Gi'))).toThrow('Backup nightly: spec of a Backup must not change after the last release');
      writeFileSync(path, '');
      expect(() => release('1Gi', path)).toThrow('holds no objects');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a cache that is declared twice for one cluster, in whatever way', () => {
    const { chart, cluster } = testCluster();
    cluster.addCache('a', { configuration: CacheConfiguration.local() });
    const same = CacheCluster.fromName(chart, 'Same', 'sessions');
    same.addCache('a', { configuration: CacheConfiguration.local() });
    expect(errors(chart)).toThrow(/cache "a" of cluster sessions in namespace caches is claimed more than once.*declare it once/);
    const other = testCluster();
    other.cluster.addCache('a', { configuration: CacheConfiguration.local() });
    CacheCluster.fromName(other.chart, 'Other', 'orders').addCache('a', { configuration: CacheConfiguration.local() });
    expect(errors(other.chart)).not.toThrow();
  });
});
