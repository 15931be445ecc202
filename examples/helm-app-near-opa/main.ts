import { join } from 'path';
import { App, Chart, Include } from 'cdk8s';
import { AuthzClientAffinity, DeploymentMode, OpaEngine, PolicyAgent } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class HelmAppNearOpa extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shop' });

    const opa = new PolicyAgent(this, 'Opa', {
      engine: new OpaEngine({
        bundles: { authz: { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] } },
        decisions: ['authz/allow'],
      }),
      deploymentMode: DeploymentMode.DEPLOYMENT,
    });

    // Where synth has helm: new Helm(this, 'App', { chart: join(__dirname, 'chart'), releaseName: 'shop', values: { opaConfigMap: 'opa' } })
    new Include(this, 'App', { url: join(__dirname, 'app.yaml') });

    new AuthzClientAffinity(this, 'NearOpa', { agent: opa, printClients: true });
  }
}

if (require.main === module) {
  const app = new App();
  new HelmAppNearOpa(app, 'shop');
  app.synth();
}
