import { App, Chart, Duration } from 'cdk8s';
import { OpaEngine, PolicyAgent, Toleration } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class OpaOnEveryNode extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'authz' });

    new PolicyAgent(this, 'Opa', {
      engine: new OpaEngine({
        bundles: {
          authz: {
            url: 'https://bundles.example.com/authz.tar.gz',
            roots: ['authz'],
            persist: true,
            pollingMax: Duration.seconds(30),
          },
        },
        decisions: ['authz/allow'],
        decisionLogs: { console: true },
      }),
      // Without an agent on a tainted node, clients there would get no answer.
      roleGroups: { default: { tolerations: [Toleration.everyTaint()] } },
    });
  }
}

if (require.main === module) {
  const app = new App();
  new OpaOnEveryNode(app, 'opa');
  app.synth();
}
