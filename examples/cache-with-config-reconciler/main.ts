import { App, Chart } from 'cdk8s';
import { AgentMetrics, CacheCluster, CacheConfiguration, CacheDeploymentMode, CacheStorage, ConfigReconciler, ConfigReconciling } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class ReconciledCaches extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'caches' });

    const reconciler = new ConfigReconciler(this, 'Reconciler', { metrics: AgentMetrics.annotations() });
    const shop = new CacheCluster(this, 'Shop', {
      deploymentMode: CacheDeploymentMode.STATEFUL_SET,
      usersSecret: 'shop-users',
      storage: CacheStorage.ephemeral(),
      configReconciler: ConfigReconciling.shared(reconciler, { credentialsSecret: 'shop-admin' }),
    });
    shop.addTemplate('two owners', { configuration: CacheConfiguration.distributed() });
    shop.addCache('sessions', { template: 'two owners' });
    shop.addCounter('visits');
    shop.addSchema('book', { proto: 'syntax = "proto3";\npackage shop;\nmessage Book { string title = 1; }\n' });

    // One that the Infinispan Helm chart has installed.
    const search = CacheCluster.fromName(this, 'Search', 'search', { deploymentMode: CacheDeploymentMode.STATEFUL_SET });
    reconciler.addCluster(search, { url: 'http://search:11222', credentialsSecret: 'search-admin' });
    search.addCache('results', { configuration: CacheConfiguration.local({ maxCount: 10_000 }) });
  }
}

if (require.main === module) {
  const app = new App();
  new ReconciledCaches(app, 'caches');
  app.synth();
}
