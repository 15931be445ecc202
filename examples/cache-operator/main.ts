import { App, Chart, Duration } from 'cdk8s';
import {
  CacheBackup, CacheCluster, CacheConfiguration, CacheExpose, CacheMonitoring, CachePermission, CacheStorage, CacheStore, CacheTls,
} from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class OperatedCaches extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'caches' });

    const cluster = new CacheCluster(this, 'Shop', {
      version: '15.2.6',
      resources: { memoryRequest: '2Gi', memoryLimit: '2Gi' },
      storage: CacheStorage.persistent({ size: '4Gi' }),
      usersSecret: 'shop-users',
      roles: [{ name: 'shop', permissions: [CachePermission.ALL_READ, CachePermission.ALL_WRITE] }],
      tls: CacheTls.fromSecret('shop-tls'),
      expose: CacheExpose.loadBalancer(),
      topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }],
      monitoring: CacheMonitoring.serviceMonitor(),
    });

    cluster.addCache('sessions', { configuration: CacheConfiguration.distributed({ maxIdle: Duration.minutes(30) }) });
    cluster.addCache('Orders / today', {
      configuration: CacheConfiguration.distributed({ stores: [CacheStore.file()], lifespan: Duration.days(1), roles: ['admin', 'shop'] }),
    });
    cluster.addCache('legacy', { configuration: CacheConfiguration.raw('<replicated-cache statistics="true"/>\n') });

    new CacheBackup(this, 'BeforeTheSale', { cluster, contents: { caches: ['Orders / today'] } });
  }
}

if (require.main === module) {
  const app = new App();
  new OperatedCaches(app, 'caches');
  app.synth();
}
