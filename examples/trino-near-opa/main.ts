import { ApiObject, App, Chart } from 'cdk8s';
import { DeploymentMode, OpaEngine, PolicyAgent } from 'cdk8s-platform-services';
import { Construct } from 'constructs';

export class TrinoNearOpa extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'data' });

    const opa = new PolicyAgent(this, 'Opa', {
      engine: new OpaEngine({
        bundles: { trino: { url: 'https://bundles.example.com/trino.tar.gz', roots: ['trino'] } },
        decisions: ['trino/allow', 'trino/batch'],
      }),
      deploymentMode: DeploymentMode.DEPLOYMENT,
      roleGroups: { default: { replicas: 3 } },
    });

    new ApiObject(this, 'Lake', {
      apiVersion: 'trino.stackable.tech/v1alpha1',
      kind: 'TrinoCatalog',
      metadata: { name: 'lake', labels: { trino: 'analytics' } },
      spec: { connector: { iceberg: { metastore: { configMap: 'hive' }, s3: { reference: 'lake' } } } },
    });

    opa.addClient(new ApiObject(this, 'Trino', {
      apiVersion: 'trino.stackable.tech/v1alpha1',
      kind: 'TrinoCluster',
      metadata: { name: 'analytics' },
      spec: {
        image: { productVersion: '477' },
        clusterConfig: {
          catalogLabelSelector: { matchLabels: { trino: 'analytics' } },
          authorization: { opa: { configMapName: opa.instanceName, package: 'trino' } },
        },
        coordinators: { roleGroups: { default: { replicas: 1 } } },
        workers: { roleGroups: { default: { replicas: 8 } } },
      },
    }));
  }
}

if (require.main === module) {
  const app = new App();
  new TrinoNearOpa(app, 'trino');
  app.synth();
}
