import { App, Chart, Duration } from 'cdk8s';
import {
  CacheBackupFailurePolicy, CacheBackupStrategy, CacheCluster, CacheClusterProps, CacheConfiguration, CacheConfigurationFormat, CacheDeploymentMode,
  CacheIndexStorage, CacheIsolation, CacheMemoryStorage, CacheMergePolicy, CacheReplication, CacheStore, CacheTransactionLocking,
  CacheTransactionMode, CacheWhenFull, CacheWhenSplit,
} from '../../lib';
import { synthesise } from '../support/synth';

export const { OPERATOR, STATEFUL_SET } = CacheDeploymentMode;
export const FORMATS = Object.values(CacheConfigurationFormat);

type Make = (format: CacheConfigurationFormat) => CacheConfiguration;

/** Every shape of a cache, in whatever format; the real server is given each of them. */
export const CONFIGURATIONS: Record<string, Make> = {
  'local, by default': (format) => CacheConfiguration.local({ format }),
  'replicated, by default': (format) => CacheConfiguration.replicated({ format }),
  'distributed, by default': (format) => CacheConfiguration.distributed({ format }),
  'invalidation, by default': (format) => CacheConfiguration.invalidation({ format }),
  'distributed, everything of its own': (format) => CacheConfiguration.distributed({
    format,
    owners: 3,
    segments: 64,
    capacityFactor: 0.5,
    nearLifespan: Duration.seconds(10),
    statistics: false,
    remoteTimeout: Duration.seconds(20),
    stateTransferTimeout: Duration.minutes(2),
    whenSplit: CacheWhenSplit.DENY_READ_WRITES,
    mergePolicy: CacheMergePolicy.PREFERRED_NON_NULL,
  }),
  'replicated, later': (format) => CacheConfiguration.replicated({
    format, segments: 32, replication: CacheReplication.ASYNC, whenSplit: CacheWhenSplit.ALLOW_READS, mergePolicy: CacheMergePolicy.REMOVE_ALL,
  }),
  'invalidation, later': (format) => CacheConfiguration.invalidation({ format, replication: CacheReplication.ASYNC, lifespan: Duration.minutes(5) }),
  'bounded by number': (format) => CacheConfiguration.distributed({
    format, maxCount: 1000, lifespan: Duration.hours(1), maxIdle: Duration.minutes(30), encoding: 'application/x-protostream',
  }),
  'bounded by size, of bytes': (format) => CacheConfiguration.replicated({ format, maxSize: '200Mi', encoding: 'application/octet-stream' }),
  'bounded by size, out of the heap': (format) => CacheConfiguration.distributed({ format, maxSize: '1.5Gi', memoryStorage: CacheMemoryStorage.OFF_HEAP }),
  'bounded by size, keys and values of two types': (format) => CacheConfiguration.distributed({
    format, maxSize: '64M', keyEncoding: 'text/plain; charset=UTF-8', valueEncoding: 'application/json',
  }),
  'evicted by clients': (format) => CacheConfiguration.local({ format, maxCount: 10, whenFull: CacheWhenFull.MANUAL }),
  'refusing when full': (format) => CacheConfiguration.distributed({
    format,
    maxCount: 10,
    whenFull: CacheWhenFull.EXCEPTION,
    transactions: CacheTransactionMode.FULL_XA,
    transactionLocking: CacheTransactionLocking.OPTIMISTIC,
  }),
  'transactional, pessimistic': (format) => CacheConfiguration.distributed({
    format,
    transactions: CacheTransactionMode.NON_XA,
    transactionLocking: CacheTransactionLocking.PESSIMISTIC,
    isolation: CacheIsolation.READ_COMMITTED,
    lockTimeout: Duration.seconds(5),
  }),
  'transactional, batches': (format) => CacheConfiguration.local({ format, transactions: CacheTransactionMode.BATCH, isolation: CacheIsolation.REPEATABLE_READ }),
  'with files': (format) => CacheConfiguration.distributed({ format, stores: [CacheStore.file({ preload: true })] }),
  'with files for what has no room': (format) => CacheConfiguration.distributed({
    format, maxCount: 100, passivation: true, maxIdle: Duration.hours(1), stores: [CacheStore.file({ writeBehindQueue: 1024 })],
  }),
  'with a database': (format) => CacheConfiguration.distributed({ format, stores: [CacheStore.jdbc({ dataSource: 'jdbc/test', dialect: 'H2', dataType: 'VARBINARY(1000)' })] }),
  'local, with a database': (format) => CacheConfiguration.local({ format, stores: [CacheStore.jdbc({ dataSource: 'jdbc/test', purge: true, tablePrefix: 'LOCAL', dataType: 'VARBINARY(1000)' })] }),
  'with two stores': (format) => CacheConfiguration.replicated({
    format, stores: [CacheStore.file(), CacheStore.jdbc({ dataSource: 'jdbc/test', readOnly: true, dataType: 'VARBINARY(1000)' })],
  }),
  'indexed, in memory': (format) => CacheConfiguration.distributed({
    format, indexedEntities: ['shop.Book', 'shop.Author'], indexStorage: CacheIndexStorage.LOCAL_HEAP,
  }),
  'indexed, in files': (format) => CacheConfiguration.replicated({ format, indexedEntities: ['shop.Book'], encoding: 'application/x-protostream' }),
  'for some roles': (format) => CacheConfiguration.distributed({ format, roles: ['admin', 'application'] }),
  'backed up to another site': (format) => CacheConfiguration.distributed({
    format,
    backups: [
      { site: 'NYC' },
      { site: 'SFO', strategy: CacheBackupStrategy.SYNC, failurePolicy: CacheBackupFailurePolicy.FAIL, timeout: Duration.seconds(3) },
    ],
  }),
};

/** A cluster in a namespace, without users unless the props say so in a StatefulSet. */
export function testCluster(props: CacheClusterProps = {}): { readonly chart: Chart; readonly cluster: CacheCluster } {
  const chart = new Chart(new App(), 'test', { namespace: 'caches' });
  const users = props.deploymentMode === STATEFUL_SET && props.endpointAuthentication !== false ? { usersSecret: 'sessions-users' } : {};
  return { chart, cluster: new CacheCluster(chart, 'Sessions', { ...users, ...props }) };
}

/** The objects of one cluster called `sessions`. */
export function clusterObjects(props: CacheClusterProps = {}, change: (cluster: CacheCluster) => void = () => undefined): any[] {
  const { chart, cluster } = testCluster(props);
  change(cluster);
  return synthesise(chart);
}
