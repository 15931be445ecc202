import { ApiObject, App, Chart, Cron } from 'cdk8s';
import { AgentAccess, AuthzClientAffinity, ClientAddress, OpaEngine, PolicyAgent } from 'cdk8s-platform-services';
import { CronJob, Deployment, k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

/** An OPA on every node, for the whole cluster. */
export class Authz extends Chart {
  public readonly opa: PolicyAgent;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'authz' });
    this.opa = new PolicyAgent(this, 'Opa', {
      engine: new OpaEngine({
        bundles: { authz: { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] } },
        decisions: ['authz/allow'],
      }),
      access: [AgentAccess.service(), AgentAccess.hostPort({ ports: { http: 18181 } })],
    });
  }
}

/** Clients of all kinds, in a namespace of their own. */
export class Shop extends Chart {
  constructor(scope: Construct, id: string, opa: PolicyAgent) {
    super(scope, id, { namespace: 'shop' });

    // A workload of cdk8s-plus that starts only when OPA answers.
    opa.addClient(new Deployment(this, 'Web', { containers: [{ image: 'registry.example.com/shop/web:1.4', portNumber: 8080 }] }), { waitForAgent: true });

    // A generated class, one of whose containers asks the OPA of its own node.
    opa.addClient(new k8s.KubeStatefulSet(this, 'Orders', {
      spec: {
        serviceName: 'orders',
        selector: { matchLabels: { app: 'orders' } },
        template: {
          metadata: { labels: { app: 'orders' } },
          spec: {
            containers: [
              { name: 'orders', image: 'registry.example.com/shop/orders:1.4' },
              { name: 'exporter', image: 'registry.example.com/exporter:3' },
            ],
          },
        },
      },
    }), { address: ClientAddress.HOST_PORT, containers: ['orders'] });

    // A CronJob that reads the address from a copy of the discovery ConfigMap.
    opa.addClient(
      new CronJob(this, 'Report', { schedule: Cron.daily(), containers: [{ image: 'registry.example.com/shop/report:1.4' }] }),
      { address: ClientAddress.DISCOVERY },
    );

    // A raw object that knows the address by itself: its label is all that it takes.
    new ApiObject(this, 'Search', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'search', labels: { 'cdk8s-platform-services/policy-agent': 'opa.authz' } },
      spec: {
        selector: { matchLabels: { app: 'search' } },
        template: {
          metadata: { labels: { app: 'search' } },
          spec: { containers: [{ name: 'search', image: 'registry.example.com/search:9', env: [{ name: 'PDP', value: 'http://opa.authz.svc:8181' }] }] },
        },
      },
    });
    new AuthzClientAffinity(this, 'NearOpa', { agent: opa });

    // A custom resource: its operator makes the pods, and must be told the address by its own settings.
    opa.addClient(new ApiObject(this, 'Sso', {
      apiVersion: 'k8s.keycloak.org/v2alpha1',
      kind: 'Keycloak',
      metadata: { name: 'sso' },
      spec: { instances: 2, additionalOptions: [{ name: 'spi-opa-url', value: 'http://opa.authz.svc:8181' }] },
    }));
  }
}

if (require.main === module) {
  const app = new App();
  new Shop(app, 'shop', new Authz(app, 'authz').opa);
  app.synth();
}
