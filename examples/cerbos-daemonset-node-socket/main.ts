import { join } from 'path';
import { App, Chart } from 'cdk8s';
import {
  AgentAccess, CerbosEngine, CerbosStorage, DeploymentMode, InternalTrafficPolicy, PolicyAgent, PolicyFiles, SocketDirectory, Toleration,
  TrafficDistribution,
} from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class CerbosOnEveryNode extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'authz' });

    new PolicyAgent(this, 'Cerbos', {
      engine: new CerbosEngine({
        storage: CerbosStorage.disk(PolicyFiles.fromDirectory(join(__dirname, 'policies'))),
      }),
      deploymentMode: DeploymentMode.DAEMON_SET,
      access: [
        AgentAccess.service(),
        AgentAccess.unixSocket({ directory: SocketDirectory.chownedBy('busybox:1.37'), group: 2000 }),
      ],
      // While the agent of a node is rolled, others stand in for those who come by the Service.
      internalTrafficPolicy: InternalTrafficPolicy.CLUSTER,
      trafficDistribution: TrafficDistribution.PREFER_SAME_NODE,
      priorityClassName: 'system-node-critical',
      roleGroups: { default: { tolerations: [Toleration.everyTaint()] } },
    });
  }
}

if (require.main === module) {
  const app = new App();
  new CerbosOnEveryNode(app, 'cerbos');
  app.synth();
}
