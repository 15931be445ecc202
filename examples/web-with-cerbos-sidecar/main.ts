import { join } from 'path';
import { App, Chart } from 'cdk8s';
import { CerbosEngine, CerbosStorage, DeploymentMode, PolicyAgent, PolicyFiles } from 'cdk8s-platform-services';
import { Cpu, Deployment, EnvValue } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

export class WebWithCerbos extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shop' });

    const web = new Deployment(this, 'Web', {
      replicas: 2,
      containers: [{
        name: 'web',
        image: 'registry.example.com/shop/web:1.4',
        portNumber: 8080,
        resources: { cpu: { request: Cpu.millis(250) } },
        envVariables: { AUTHORIZER: EnvValue.fromValue('$(CERBOS_HTTP)/api/check/resources') },
      }],
    });

    const cerbos = new PolicyAgent(this, 'Cerbos', {
      engine: new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromDirectory(join(__dirname, 'policies'))) }),
      deploymentMode: DeploymentMode.SIDECAR,
    });
    cerbos.addClient(web);
  }
}

if (require.main === module) {
  const app = new App();
  new WebWithCerbos(app, 'web');
  app.synth();
}
