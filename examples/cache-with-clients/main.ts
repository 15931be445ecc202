import { App, Chart } from 'cdk8s';
import { CacheCluster, CacheConfiguration, CacheProtocol } from 'cdk8s-platform-services';
import { Deployment } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

export class CachesWithClients extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shop' });

    const cluster = new CacheCluster(this, 'Cache', { usersSecret: 'cache-users', clientCredentialsSecret: 'cache-client' });
    cluster.addCache('sessions', { configuration: CacheConfiguration.distributed() });

    const web = new Deployment(this, 'Web', { metadata: { name: 'web' }, containers: [{ image: 'registry.example.com/web:1.0' }] });
    const report = new Deployment(this, 'Report', { metadata: { name: 'report' }, containers: [{ image: 'registry.example.com/report:1.0' }] });

    cluster.addClient(web);
    cluster.addClient(report, { protocol: CacheProtocol.REST, variables: { INFINISPAN_URL: 'CACHE_URL' } });
  }
}

if (require.main === module) {
  const app = new App();
  new CachesWithClients(app, 'caches');
  app.synth();
}
