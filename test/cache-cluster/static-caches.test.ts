import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { clusterObjects, STATEFUL_SET, testCluster } from './caches';
import { CacheAcknowledgement, CacheCluster, CacheClusterProps, CacheConfiguration, CacheStorage, CacheStore, ConfigReconciling } from '../../lib';
import { WARNING_METADATA } from '../../lib/private/messages';
import { toYaml } from '../rig/kubectl';
import { synthesise } from '../support/synth';

jest.setTimeout(60_000);

const stateful = { deploymentMode: STATEFUL_SET };
const acknowledge = [CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE];
const owners = (number: number) => CacheConfiguration.distributed({ owners: number });
const add = (caches: Record<string, CacheConfiguration>) => (cluster: CacheCluster) =>
  Object.entries(caches).forEach(([name, configuration]) => cluster.addCache(name, { configuration }));

function warningsOf(props: CacheClusterProps, change: (cluster: CacheCluster) => void): string[] {
  const { chart, cluster } = testCluster({ ...stateful, ...props });
  change(cluster);
  synthesise(chart);
  return cluster.node.metadata.filter(({ type }) => type === WARNING_METADATA).map(({ data }) => data);
}

let folder: string;
let last: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  last = join(folder, 'last.yaml');
  writeFileSync(last, toYaml(clusterObjects({ ...stateful, acknowledge }, add({ 'kept': owners(2), 'changed / ü': owners(2), 'removed': owners(2) }))));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('caches on persistent storage', () => {
  test('fail when nobody looks whether they have changed', () => {
    expect(() => clusterObjects(stateful, add({ a: owners(2) }))).toThrow(/a changed definition makes servers disagree.*a removed cache takes its entries along.*previousManifest/);
  });

  test('are warned of when that is acknowledged', () => {
    expect(warningsOf({ acknowledge }, add({ a: owners(2) }))).toEqual([expect.stringContaining('without previousManifest nobody looks')]);
  });

  test('are no matter when storage is ephemeral, or when there are none', () => {
    expect(warningsOf({ storage: CacheStorage.ephemeral() }, add({ a: owners(2) }))).toEqual([]);
    expect(warningsOf({}, () => undefined)).toEqual([]);
  });
});

describe('against the last release', () => {
  const release = (caches: Record<string, CacheConfiguration>, props: CacheClusterProps = {}) =>
    clusterObjects({ ...stateful, previousManifest: last, ...props }, add(caches));

  test('the same caches and new ones are fine', () => {
    expect(() => release({ 'kept': owners(2), 'changed / ü': owners(2), 'removed': owners(2), 'new': owners(3) })).not.toThrow();
  });

  test('one that a reconciler is to apply from now on fails, even if it is listed: servers that are not rolled yet have it', () => {
    const reconciled = { clientCredentialsSecret: 'admin', configReconciler: ConfigReconciling.own() };
    const others = ['changed / ü', 'removed'];
    expect(() => release({ kept: owners(2) }, { ...reconciled, acceptCacheChanges: ['kept', ...others] })).toThrow(
      /cache "kept" stood in the servers' configuration in the last release: .*leave it out of this release, name it in acceptCacheChanges, and add it in the next/);
    expect(() => release({ new: owners(2) }, { ...reconciled, acceptCacheChanges: ['kept', ...others] })).not.toThrow();
  });

  test('a changed and a removed one fail, unless they are listed', () => {
    const caches = { 'kept': owners(2), 'changed / ü': owners(3) };
    expect(() => release(caches)).toThrow(/cache "changed \/ ü" has changed after the last release: old and new servers disagree while it is rolled out/);
    expect(() => release(caches)).toThrow(/cache "removed" was removed after the last release: its entries are lost/);
    expect(() => release(caches, { acceptCacheChanges: ['removed'] })).toThrow(/"changed/);
    expect(() => release(caches, { acceptCacheChanges: ['removed', 'changed / ü'] })).not.toThrow();
  });

  test('the listing of one that did not change is warned of', () => {
    const caches = { 'kept': owners(2), 'changed / ü': owners(2), 'removed': owners(2) };
    expect(warningsOf({ previousManifest: last, acceptCacheChanges: ['kept'] }, add(caches))).toEqual([expect.stringContaining('acceptCacheChanges name kept, which did not change')]);
  });

  test('a listing without a manifest to compare with fails', () => {
    expect(() => clusterObjects({ ...stateful, acceptCacheChanges: ['a'] })).toThrow('acceptCacheChanges needs previousManifest');
  });

  test('another cluster is taken for a new one, with a warning', () => {
    expect(warningsOf({ clusterName: 'other', previousManifest: last }, add({ a: owners(2) })))
      .toEqual([expect.stringContaining('previousManifest has no ConfigMap other-configuration: the cluster is taken for a new one')]);
  });

  test('an older server fails', () => {
    expect(() => release({ 'kept': owners(2), 'changed / ü': owners(2), 'removed': owners(2) }, { version: '15.1.0' }))
      .toThrow('version 15.1.0 is older than 15.2.6 of the last release');
  });
});

test('caches that a rollout empties are named in a warning', () => {
  const [warning] = warningsOf({ storage: CacheStorage.ephemeral() }, (cluster) => {
    cluster.addTemplate('single', { configuration: owners(1) });
    cluster.addCache('templated', { template: 'single' });
    add({
      'local': CacheConfiguration.local(), 'one owner': owners(1), 'two owners': owners(2), 'stored': CacheConfiguration.distributed({ owners: 1, stores: [CacheStore.file()] }),
    })(cluster);
  });
  expect(warning).toBe('caches local, one owner, templated have entries on one server only: each rollout loses them');
});
