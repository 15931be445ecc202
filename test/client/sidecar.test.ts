import { ApiObject, Chart } from 'cdk8s';
import * as kplus28 from 'cdk8s-plus-28';
import { AgentAccess, AuthzClientAffinity, ClientAddress, DeploymentMode, PolicyAgent, PolicyAgentProps, PolicyClientOptions, PolicyFiles } from '../../lib';
import { deployment, opaAgent, synthesised, twoCharts } from '../support/clients';
import { cerbos, find, opa, secretValue, synthesise, testChart } from '../support/synth';

const { SIDECAR, DEPLOYMENT } = DeploymentMode;
const CHECKSUM = 'cdk8s-platform-services/configuration-checksum';

/** The pod of a Deployment with an agent in it. */
function podWith(props: Partial<PolicyAgentProps> = {}, options?: PolicyClientOptions, pod: any = {}): any {
  const chart = testChart();
  const agent = new PolicyAgent(chart, 'Pdp', { engine: cerbos(), deploymentMode: SIDECAR, ...props });
  const client = deployment(chart, 'Web', pod);
  agent.addClient(client, options);
  synthesise(chart);
  return client.toJson().spec.template.spec;
}

const env = (container: any) => Object.fromEntries((container.env ?? []).map(({ name, value }: any) => [name, value]));

describe('an agent in its client\'s pod', () => {
  test('is a native sidecar before all other containers', () => {
    const { initContainers, containers } = podWith({}, {}, { initContainers: [{ name: 'migrate', image: 'm:1' }] });
    expect(initContainers.map(({ name, restartPolicy }: any) => [name, restartPolicy])).toEqual([['pdp-cerbos', 'Always'], ['migrate', undefined]]);
    expect(containers.map(({ name }: any) => name)).toEqual(['web', 'log']);
  });

  test('has nothing of its own', () => {
    const chart = testChart();
    const agent = new PolicyAgent(chart, 'Pdp', { engine: cerbos(), deploymentMode: SIDECAR });
    agent.addClient(deployment(chart, 'Web'));
    expect(synthesise(chart).map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()).toEqual(['ConfigMap/pdp-config', 'ConfigMap/pdp-policies', 'Deployment/web']);
    expect([agent.isSidecar, agent.workloads, agent.service, agent.discovery]).toEqual([true, {}, undefined, undefined]);
  });

  test('is reached by loopback, and by nobody else', () => {
    const chart = testChart();
    new PolicyAgent(chart, 'Pdp', { engine: cerbos(), deploymentMode: SIDECAR }).addClient(deployment(chart, 'Web'));
    const objects = synthesise(chart);
    expect(env(find(objects, 'Deployment').spec.template.spec.containers[0])).toEqual({ CERBOS_HTTP: 'http://127.0.0.1:3592', CERBOS_GRPC: '127.0.0.1:3593' });
    expect(JSON.parse(find(objects, 'ConfigMap', 'pdp-config').data['.cerbos.yaml']).server).toMatchObject({ httpListenAddr: '127.0.0.1:3592', grpcListenAddr: '127.0.0.1:3593' });
    const [sidecar] = podWith({ engine: opa() }).initContainers;
    expect(sidecar.args).toContain('--addr=127.0.0.1:8181');
    expect(sidecar.args.filter((arg: string) => arg.startsWith('--addr'))).toHaveLength(1);
  });

  test('or by a socket in a directory that both mount', () => {
    const { initContainers: [sidecar], containers: [web], volumes } = podWith({ access: [AgentAccess.unixSocket()] });
    expect(env(web)).toEqual({ CERBOS_GRPC: 'unix:/run/cerbos/authz/pdp/cerbos.sock' });
    expect(web.volumeMounts).toEqual([{ name: 'pdp-socket', mountPath: '/run/cerbos/authz/pdp', readOnly: true }]);
    expect(sidecar.volumeMounts).toContainEqual({ name: 'pdp-socket', mountPath: '/run/cerbos/authz/pdp' });
    expect(volumes).toContainEqual({ name: 'pdp-socket', emptyDir: {} });
    expect(podWith({ engine: opa(), access: [AgentAccess.unixSocket()] }).initContainers[0].args.filter((arg: string) => arg.startsWith('--addr')))
      .toEqual(['--addr=unix:///run/opa/authz/pdp/opa.sock']);
  });

  test('starts its client only when it answers by its policies', () => {
    const engine = opa({ bundles: { authz: { url: 'https://bundles.example.com/a.tar.gz', roots: ['authz'] } } });
    const [sidecar] = podWith({ engine }).initContainers;
    const path = { path: '/health?bundles', port: 8282 };
    expect(sidecar.startupProbe).toMatchObject({ httpGet: path, periodSeconds: 2, failureThreshold: 60 });
    expect(sidecar.readinessProbe).toMatchObject({ httpGet: path });
    expect(sidecar.livenessProbe).toMatchObject({ httpGet: { path: '/health', port: 8282 } });
    const { startupProbe } = podWith().initContainers[0];
    expect(startupProbe.exec.command).toEqual(['/cerbos', 'healthcheck', '--config=/config/.cerbos.yaml', '--timeout=5s']);
  });

  test('stops last, and so at once', () => {
    expect(podWith().initContainers[0]).not.toHaveProperty('lifecycle');
    expect(podWith({ engine: opa() }).initContainers[0].args).toContain('--shutdown-wait-period=0');
  });

  test('is as hardened as in a pod of its own, by itself', () => {
    const [sidecar] = podWith().initContainers;
    expect(sidecar.securityContext).toEqual({
      runAsUser: 65532,
      runAsGroup: 65532,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(sidecar.resources).toEqual({ requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } });
  });

  test('claims no name of a port, which a Service of the client may mean', () => {
    expect(podWith().initContainers[0]).not.toHaveProperty('ports');
  });

  test('takes resources, overrides and secrets for its image from its props', () => {
    const { initContainers: [sidecar], imagePullSecrets, volumes } = podWith({
      roleGroups: { default: { resources: { memoryLimit: '1Gi' }, podOverrides: { spec: { containers: [{ name: 'cerbos', env: [{ name: 'A', value: 'a' }] }] } } } },
      podOverrides: { spec: { volumes: [{ name: 'more', emptyDir: {} }] } },
      imagePullSecrets: ['registry', 'own'],
    }, {}, { imagePullSecrets: [{ name: 'own' }] });
    expect(sidecar.resources.limits.memory).toBe('1Gi');
    expect(env(sidecar).A).toBe('a');
    expect(volumes).toContainEqual({ name: 'pdp-more', emptyDir: {} });
    expect(imagePullSecrets).toEqual([{ name: 'own' }, { name: 'registry' }]);
  });

  test('rolls its client when its configuration changes', () => {
    const checksum = (policy: string) => {
      const chart = testChart();
      const client = deployment(chart, 'Web');
      opaAgent(chart, { deploymentMode: SIDECAR, engine: opa({ policies: [PolicyFiles.inline({ 'a.rego': policy })] }) }).addClient(client);
      return synthesised(client).spec.template.metadata.annotations[`opa.${CHECKSUM}`];
    };
    const [one, same, other] = ['package authz', 'package authz', 'package authz\n'].map(checksum);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect([same === one, other === one]).toEqual([true, false]);
  });

  test('finds its ConfigMaps in each namespace of clients, and says when one is missing', () => {
    const { agents, clients } = twoCharts();
    const agent = opaAgent(agents, { deploymentMode: SIDECAR, engine: opa({ environment: { TOKEN: secretValue('tokens', 'opa') } }) });
    const shop = new Chart(clients, 'shop', { namespace: 'shop' });
    for (const client of [deployment(clients, 'Web'), deployment(clients, 'Web2'), deployment(shop, 'Shop')]) agent.addClient(client);
    const maps = synthesise(clients).filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(maps.sort()).toEqual(['shop/opa-config', 'shop/opa-policies', 'web/opa-config', 'web/opa-policies']);
    new ApiObject(clients, 'Late', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'late' } });
    agent.addClient(shop);
    deployment(shop, 'Later', {}, { namespace: 'late' });
    expect(() => synthesise(clients)).toThrow('client clients/shop/Later (Deployment/later): it is in namespace late: ConfigMap opa-config was not made there');
  });

  test('stands in a Job, a CronJob and a Pod as well', () => {
    const chart = testChart();
    const agent = opaAgent(chart, { deploymentMode: SIDECAR });
    const container = { image: 'job:1' };
    for (const client of [
      new kplus28.Job(chart, 'Job', { containers: [container], restartPolicy: kplus28.RestartPolicy.NEVER }), new kplus28.Pod(chart, 'Pod', { containers: [container] }),
    ]) agent.addClient(client);
    const objects = synthesise(chart);
    const job = find(objects, 'Job').spec.template;
    expect(job.spec.initContainers[0]).toMatchObject({ name: 'opa-opa', restartPolicy: 'Always' });
    expect(job.metadata.annotations).toHaveProperty([`opa.${CHECKSUM}`]);
    expect(find(objects, 'Pod').metadata.annotations).toHaveProperty([`opa.${CHECKSUM}`]);
  });

  test('stands beside another one, and once however often its client is named', () => {
    const chart = testChart();
    const client = deployment(chart, 'Web');
    const agents = [opaAgent(chart, { deploymentMode: SIDECAR }), new PolicyAgent(chart, 'Cerbos', { engine: cerbos(), deploymentMode: SIDECAR })];
    agents.forEach((agent) => agent.addClient(client));
    agents[0].addClient(chart, { containers: ['log'] });
    const { spec, metadata } = synthesised(client).spec.template;
    expect(spec.initContainers.map(({ name }: any) => name)).toEqual(['cerbos-cerbos', 'opa-opa']);
    expect(Object.keys(metadata.annotations)).toEqual([`cerbos.${CHECKSUM}`, `opa.${CHECKSUM}`]);
  });
});

test('one enum value moves the client to another mode', () => {
  const release = (deploymentMode: DeploymentMode) => {
    const chart = testChart();
    const client = deployment(chart, 'Web');
    opaAgent(chart, { deploymentMode }).addClient(client, { containers: ['web'], variables: { OPA_URL: 'PDP' } });
    synthesise(chart);
    return client.toJson().spec.template.spec;
  };
  expect(release(SIDECAR).containers[0].env).toEqual([{ name: 'PDP', value: 'http://127.0.0.1:8181' }]);
  expect(release(DEPLOYMENT).containers[0].env).toEqual([{ name: 'PDP', value: 'http://opa.authz.svc:8181' }]);
  expect(release(DEPLOYMENT)).not.toHaveProperty('initContainers');
});

describe('refuses', () => {
  const refused = (props: Partial<PolicyAgentProps> = {}, options?: PolicyClientOptions) => () => podWith(props, options);

  test.each<[string, () => unknown, RegExp | string]>([
    ['an agent that runs nowhere', () => synthesise(opaAgent(testChart(), { deploymentMode: SIDECAR }).node.scope as Chart), 'deploymentMode Sidecar, but no client is named by addClient'],
    ['an address', refused({}, { address: ClientAddress.SERVICE }), 'address SERVICE with an agent in the client\'s own pod'],
    ['no address', refused({}, { address: ClientAddress.NONE }), 'nobody would ask it'],
    ['to wait', refused({}, { waitForAgent: true }), 'it is ready before the client starts anyway'],
    ['affinity', refused({}, { weight: 5 }), 'weight with an agent in the client\'s own pod'],
    ['found clients', () => new AuthzClientAffinity(testChart(), 'Near', { agent: opaAgent(testChart(), { deploymentMode: SIDECAR }) }), '[test/Near] agent opa has no pods to be near'],
    ['overrides that fit nothing', refused({ objectOverrides: [{ kind: 'Service', metadata: { name: 'x' } }] }), 'objectOverrides name Service/x, which is not emitted; there are ConfigMap/pdp-config'],
    ['a container of that name', () => podWith({}, {}, { containers: [{ name: 'pdp-cerbos', image: 'x:1' }] }), 'container pdp-cerbos exists already'],
  ])('%s', (_, run, error) => {
    expect(run).toThrow(error);
  });

  test('a custom resource', () => {
    const chart = testChart();
    const client = new ApiObject(chart, 'Rollout', {
      apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web' }, spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
    });
    opaAgent(chart, { deploymentMode: SIDECAR }).addClient(client);
    expect(() => synthesise(chart)).toThrow('its pods are made by an operator, so they cannot have the agent in them');
  });

  test('a namespace that is not known', () => {
    const { agents, clients } = twoCharts();
    const chart = new Chart(clients.node.root as any, 'unknown');
    expect(() => opaAgent(agents, { deploymentMode: SIDECAR }).addClient(deployment(chart, 'Web')))
      .toThrow('[agents/Opa] ConfigMap opa-config must stand in the client\'s namespace, which is not known at synth');
  });
});
