import { App, Chart } from 'cdk8s';
import { CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage, NetworkPeer } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class PlainCaches extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'caches' });

    const cluster = new CacheCluster(this, 'Shop', {
      deploymentMode: CacheDeploymentMode.STATEFUL_SET,
      replicas: 3,
      usersSecret: 'shop-users',
      storage: CacheStorage.ephemeral(),
      networkPolicy: { clients: [NetworkPeer.namespace('web')] },
    });

    cluster.addTemplate('two owners', { configuration: CacheConfiguration.distributed() });
    cluster.addCache('sessions', { template: 'two owners' });
    cluster.addCache('catalogue', { configuration: CacheConfiguration.replicated({ maxCount: 100_000 }) });
    cluster.addCounter('visits');
  }
}

if (require.main === module) {
  const app = new App();
  new PlainCaches(app, 'caches');
  app.synth();
}
