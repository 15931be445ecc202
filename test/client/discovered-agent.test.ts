import { ApiObject } from 'cdk8s';
import * as kplus28 from 'cdk8s-plus-28';
import { AuthzClientAffinity, CaBundle, ClientAddress, DeploymentMode, IPolicyAgent, PolicyAgent, PolicyClientOptions } from '../../lib';
import { deployment, preferredTerms, twoCharts } from '../support/clients';
import { synthesise, testChart } from '../support/synth';

/** A client in the namespace `web` of an agent in `authz`. */
function bound(make: (chart: any) => IPolicyAgent, options?: PolicyClientOptions, pod?: any) {
  const { agents, clients } = twoCharts();
  const web = deployment(clients, 'Web', pod);
  make(agents).addClient(web, options);
  const objects = synthesise(clients);
  const { spec } = web.toJson().spec.template;
  const [{ podAffinityTerm }] = preferredTerms(spec);
  return { spec, objects, labels: podAffinityTerm.labelSelector.matchLabels, namespaces: podAffinityTerm.namespaces, env: spec.containers[0].env };
}

describe('the OPA of Stackable', () => {
  const stackable = (serverSecretClass?: string) => (chart: any) => PolicyAgent.fromStackableOpa(chart, 'Opa', { name: 'opa', serverSecretClass });

  test('has the labels, the Service and the ports of its operator', () => {
    const { labels, namespaces, env } = bound(stackable());
    expect(labels).toEqual({ 'app.kubernetes.io/name': 'opa', 'app.kubernetes.io/instance': 'opa', 'app.kubernetes.io/component': 'server' });
    expect(namespaces).toEqual(['authz']);
    expect(env).toEqual([{ name: 'OPA_URL', value: 'http://opa-server.authz.svc.cluster.local:8081' }]);
  });

  test('gives copies of its discovery ConfigMap', () => {
    const { objects, env } = bound(stackable('tls'), { address: ClientAddress.DISCOVERY, caBundle: CaBundle.ofClient() });
    expect(objects.find(({ kind }) => kind === 'ConfigMap')).toMatchObject({
      metadata: { name: 'opa', namespace: 'web' }, data: { OPA: 'https://opa-server.authz.svc.cluster.local:8443/', OPA_SECRET_CLASS: 'tls' },
    });
    expect(env.map(({ name }: any) => name)).toEqual(['OPA', 'OPA_SECRET_CLASS']);
  });

  test('stands on every node without taints, and answers its own only', () => {
    expect(() => bound(stackable(), {}, { tolerations: [{ operator: 'Exists' }] })).toThrow('may stand on a node with taint (any), where agent opa does not');
  });

  test('is found by the URL of its Service', () => {
    const chart = testChart();
    new AuthzClientAffinity(chart, 'Near', { agent: PolicyAgent.fromStackableOpa(chart, 'Opa', { name: 'opa' }) });
    const kafka = new ApiObject(chart, 'Kafka', {
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'Kafka',
      metadata: { name: 'k' },
      spec: { kafka: { listeners: [{ name: 'plain', port: 9092, type: 'internal', tls: false }], config: { 'opa.authorizer.url': 'http://opa-server.authz.svc.cluster.local:8081/v1' } } },
    });
    synthesise(chart);
    expect(kafka.toJson().spec.kafka.template.pod.affinity).toBeDefined();
  });
});

describe('the Cerbos of its chart', () => {
  test.each([
    ['pdp', 'pdp-cerbos'], ['cerbos', 'cerbos'], ['my-cerbos', 'my-cerbos'], ['a'.repeat(53), `${'a'.repeat(53)}-cerbos`],
  ])('of release %s has the labels and the name %s', (releaseName, name) => {
    const { labels, env } = bound((chart) => PolicyAgent.fromCerbosChart(chart, 'Cerbos', { releaseName }));
    expect(labels).toEqual({ 'app.kubernetes.io/name': 'cerbos', 'app.kubernetes.io/instance': releaseName });
    expect(env).toEqual([{ name: 'CERBOS_HTTP', value: `http://${name}.authz.svc:3592` }, { name: 'CERBOS_GRPC', value: `${name}.authz.svc:3593` }]);
  });

  test('as a DaemonSet answers its own node only, with TLS its clients must say where the authority is', () => {
    const daemonSet = (chart: any) => PolicyAgent.fromCerbosChart(chart, 'Cerbos', { releaseName: 'c', fullName: 'pdp', deploymentMode: DeploymentMode.DAEMON_SET, tls: true });
    const options = { caBundle: CaBundle.fromConfigMap('trust') };
    expect(bound(daemonSet, options).env).toContainEqual({ name: 'CERBOS_CA_FILE', value: '/etc/policy-agents/pdp/ca.crt' });
    expect(() => bound(daemonSet)).toThrow('give caBundle');
    expect(() => bound(daemonSet, options, { tolerations: [{ key: 'gpu', operator: 'Exists' }] })).toThrow('a node with taint gpu');
  });
});

test.each([[undefined, 'https', 'r-opa-kube-mgmt'], [false, 'http', 'r-opa-kube-mgmt']])('the OPA of kube-mgmt, useHttps %s', (useHttps, scheme, name) => {
  const { labels, env } = bound((chart) => PolicyAgent.fromKubeMgmtChart(chart, 'Opa', { releaseName: 'r', useHttps }), useHttps === false ? {} : { caBundle: CaBundle.ofClient() });
  expect(labels).toEqual({ app: name });
  expect(env).toEqual([{ name: 'OPA_URL', value: `${scheme}://${name}.authz.svc:8181` }]);
});

describe('an agent from another app', () => {
  const podLabels = { app: 'pdp' };

  test('without an address draws its clients near', () => {
    const { labels, env } = bound((chart) => PolicyAgent.fromDiscovery(chart, 'Pdp', { instanceName: 'pdp', podLabels }));
    expect([labels, env]).toEqual([podLabels, undefined]);
  });

  test('makes nothing by itself, and is a pod selector and a peer', () => {
    const chart = testChart();
    const agent = PolicyAgent.fromDiscovery(chart, 'Pdp', { instanceName: 'pdp', podLabels });
    const web = new kplus28.Deployment(chart, 'Web', { containers: [{ image: 'web:1' }] });
    web.scheduling.colocate(agent, { weight: 50 });
    const [object, ...others] = synthesise(chart);
    expect(others).toEqual([]);
    expect(preferredTerms(object.spec.template.spec)[0].podAffinityTerm).toMatchObject({ labelSelector: { matchLabels: podLabels }, namespaces: ['authz'] });
    expect(agent.toNetworkPolicyPeerConfig().podSelector).toBeDefined();
  });

  test.each<[string, any, string]>([
    ['no labels', { podLabels: {} }, 'podLabels must hold at least one label'],
    ['no pods', { podLabels, deploymentMode: DeploymentMode.SIDECAR }, 'deploymentMode Sidecar has no pods that could be discovered'],
  ])('fails with %s', (_, props, error) => {
    expect(() => PolicyAgent.fromDiscovery(testChart(), 'Pdp', { instanceName: 'pdp', ...props })).toThrow(`[test/Pdp] ${error}`);
  });

  test('fails with an image that nobody knows to wait', () => {
    const make = (chart: any) => PolicyAgent.fromCerbosChart(chart, 'Cerbos', { releaseName: 'cerbos' });
    expect(() => bound(make, { waitForAgent: true })).toThrow('name an image that waits (waitImage)');
    expect(bound(make, { waitForAgent: true, waitImage: 'waits:1' }).spec.initContainers[0].image).toBe('waits:1');
  });
});
