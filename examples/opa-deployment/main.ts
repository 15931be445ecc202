import { join } from 'path';
import { App, Chart } from 'cdk8s';
import {
  AgentTls, ClientCertificates, DeploymentMode, NodeRequirement, OpaEngine, PolicyAgent, PolicyFiles, TrafficDistribution,
} from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class OpaReplicas extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'authz' });

    new PolicyAgent(this, 'Opa', {
      engine: new OpaEngine({
        policies: [PolicyFiles.fromDirectory(join(__dirname, 'policies'))],
        decisions: ['authz/allow'],
      }),
      deploymentMode: DeploymentMode.DEPLOYMENT,
      trafficDistribution: TrafficDistribution.PREFER_SAME_ZONE,
      topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }],
      roleGroups: {
        default: { replicas: 3, nodes: [NodeRequirement.doesNotExist('example.com/batch')] },
        batch: { replicas: 2, nodes: [NodeRequirement.exists('example.com/batch')], resources: { cpuRequest: '500m' } },
      },
      tls: AgentTls.fromCertificate({ issuerName: 'internal-ca', issuerKind: 'ClusterIssuer', clientCertificates: ClientCertificates.REQUIRED }),
    });
  }
}

if (require.main === module) {
  const app = new App();
  new OpaReplicas(app, 'opa');
  app.synth();
}
