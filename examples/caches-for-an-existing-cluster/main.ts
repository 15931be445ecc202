import { App, Chart } from 'cdk8s';
import { Cache, CacheBatch, CacheCluster, CacheConfiguration, CacheUpdateStrategy } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class CachesOfATeam extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'caches' });

    const cluster = CacheCluster.fromName(this, 'Shop', 'shop');
    new Cache(this, 'orders', { cluster, configuration: CacheConfiguration.distributed({ owners: 3 }), updates: CacheUpdateStrategy.RECREATE });
    new Cache(this, 'like-a-template', { cluster, template: 'org.infinispan.DIST_SYNC' });
    new CacheBatch(this, 'WarmUp1', { cluster, commands: 'cache orders\nput greeting hello\n' });
  }
}

if (require.main === module) {
  const app = new App();
  new CachesOfATeam(app, 'caches');
  app.synth();
}
