import { join } from 'path';
import { App, Chart, Duration } from 'cdk8s';
import { AgentMetrics, CerbosAudit, CerbosEngine, CerbosStorage, NetworkPeer, PolicyAgent, PolicyFiles } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class CerbosReplicas extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'authz' });

    new PolicyAgent(this, 'Cerbos', {
      engine: new CerbosEngine({
        storage: CerbosStorage.disk(PolicyFiles.fromDirectory(join(__dirname, 'policies'))),
        audit: CerbosAudit.stdout({ accessLogs: false }),
        maxConnectionAge: Duration.minutes(2),
      }),
      roleGroups: { default: { autoscaling: { minReplicas: 3, maxReplicas: 10 } } },
      headlessService: true,
      metrics: AgentMetrics.podMonitor({ labels: { release: 'prometheus' } }),
      networkPolicy: {
        clients: [NetworkPeer.namespace('shop')],
        metrics: [NetworkPeer.namespace('monitoring')],
      },
    });
  }
}

if (require.main === module) {
  const app = new App();
  new CerbosReplicas(app, 'cerbos');
  app.synth();
}
