import { App, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Acknowledgement, AgentAccess, CerbosStorage, DeploymentMode, InternalTrafficPolicy, OpaAuthorization, PolicyAgent, PolicyFiles } from '../../lib';
import { cerbos, find, opa, podTemplate, synthesise, testChart } from '../support/synth';

describe('identity', () => {
  test('the name comes from the id, never from the path', () => {
    const name = (id: string) => new PolicyAgent(testChart(), id, { engine: opa() }).instanceName;
    expect(name('Opa')).toBe('opa');
    expect(name('Opa_EU.1')).toBe('opa-eu-1');
    expect(() => name('42')).toThrow('[test/42] instanceName (by default the id of the construct) must be a DNS label');
    expect(new PolicyAgent(testChart(), 'Opa', { engine: opa(), instanceName: 'decider' }).instanceName).toBe('decider');
  });

  test('the namespace is the chart\'s, or the agent\'s own', () => {
    const chart = testChart('shop');
    new PolicyAgent(chart, 'A', { engine: opa() });
    new PolicyAgent(chart, 'B', { engine: opa(), namespace: 'authz' });
    for (const { metadata } of synthesise(chart)) expect(metadata.namespace).toBe(metadata.name.startsWith('a') ? 'shop' : 'authz');
  });

  test('without a namespace, addresses leave it out', () => {
    const chart = new Chart(new App(), 'test');
    new PolicyAgent(chart, 'Opa', { engine: opa() });
    const objects = synthesise(chart);
    expect(find(objects, 'ConfigMap', 'opa').data.OPA).toBe('http://opa:8181/');
    for (const { metadata } of objects) expect(metadata).not.toHaveProperty('namespace');
  });

  test('labels stand on objects and pods, and those of the chart on objects', () => {
    const chart = new Chart(new App(), 'test', { labels: { env: 'prod' } });
    new PolicyAgent(chart, 'Opa', { engine: opa(), labels: { team: 'authz' }, podAnnotations: { note: 'x' } });
    const objects = synthesise(chart);
    for (const { metadata } of objects) expect(metadata.labels).toMatchObject({ 'env': 'prod', 'team': 'authz', 'app.kubernetes.io/managed-by': 'cdk8s' });
    expect(podTemplate(objects).metadata).toMatchObject({ labels: { team: 'authz' }, annotations: { 'note': 'x', 'prometheus.io/scrape': 'true' } });
    expect(find(objects, 'DaemonSet').spec.selector.matchLabels).not.toHaveProperty('team');
  });

  test('fails when two agents of an app have the same name in the same namespace, or both in none', () => {
    const twice = (namespaces: (string | undefined)[], acknowledge?: Acknowledgement[]) => () => {
      const app = new App();
      namespaces.forEach((namespace, index) => new PolicyAgent(new Chart(app, `c${index}`, { namespace }), 'Opa', { engine: opa(), acknowledge }));
      return app.synthYaml();
    };
    expect(twice(['a', 'a'], [Acknowledgement.SEVERAL_CLUSTERS])).not.toThrow();
    expect(twice(['a', 'a'])).toThrow(/\[c0\/Opa\] DaemonSet opa-default in namespace a is claimed more than once in this app, by c0\/Opa\/Workload-default and c1\/Opa/);
    expect(twice([undefined, undefined])).toThrow(/Service opa is claimed more than once in this app/);
    expect(twice(['a', 'b'])).not.toThrow();
    expect(twice(['a', undefined])).not.toThrow();
  });
});

test('an agent that was removed from the tree claims nothing any more', () => {
  const chart = testChart();
  new PolicyAgent(chart, 'Opa', { engine: opa() });
  chart.node.tryRemoveChild('Opa');
  new PolicyAgent(chart, 'Opa', { engine: opa() });
  expect(synthesise(chart).length).toBeGreaterThan(0);
});

describe('a good citizen of cdk8s-plus-28', () => {
  const setup = () => {
    const chart = testChart();
    const agent = new PolicyAgent(chart, 'Opa', { engine: opa() });
    const web = new kplus.Deployment(chart, 'Web', { containers: [{ image: 'web' }] });
    return { chart, agent, web };
  };

  test('workloads can be placed near the agent', () => {
    const { chart, agent, web } = setup();
    web.scheduling.colocate(agent, { weight: 50 });
    const objects = synthesise(chart);
    const [term] = objects.find(({ metadata }) => metadata.name.startsWith('test-web')).spec.template.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(term.weight).toBe(50);
    expect(term.podAffinityTerm.namespaces).toEqual(['authz']);
    expect(term.podAffinityTerm).not.toHaveProperty('namespaceSelector');
    expect(podTemplate(objects.filter(({ kind }) => kind === 'DaemonSet')).metadata.labels).toMatchObject(term.podAffinityTerm.labelSelector.matchLabels);
  });

  test('network policies can name the agent', () => {
    const { chart, agent, web } = setup();
    new kplus.NetworkPolicy(chart, 'FromWeb', { selector: web, egress: { rules: [{ peer: agent, ports: [kplus.NetworkPolicyPort.tcp(8181)] }] } });
    const [rule] = find(synthesise(chart), 'NetworkPolicy').spec.egress;
    expect(rule.to).toEqual([{
      podSelector: { matchLabels: agent.podLabels },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'authz' } },
    }]);
  });
});

describe('warnings', () => {
  const warned = (agent: PolicyAgent) => agent.node.metadata.map(({ data }) => data);

  test('are attached to the construct and printed once, however often an app is synthesised', () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const app = new App();
    const charts = ['a', 'b', 'c'].map((id) => new Chart(app, id, { namespace: id }));
    for (const chart of charts) new PolicyAgent(chart, 'Opa', { engine: opa({ policies: [PolicyFiles.fromConfigMap('rules')] }) });
    app.synthYaml();
    app.synthYaml();
    expect(write.mock.calls.map(([line]) => line)).toEqual(['a', 'b', 'c'].map((id) =>
      `[warning] [${id}/Opa] a change of ConfigMap rules does not reach running agents: give its checksum to PolicyFiles.fromConfigMap\n`));
    write.mockRestore();
  });

  test('OPA: an API that a bundle leaves open, unless that was asked for', () => {
    const all = { url: 'https://bundles.example.com/all.tar.gz', roots: [''] };
    const agent = (authorization?: OpaAuthorization) =>
      new PolicyAgent(testChart(), 'Opa', { engine: opa({ bundles: { all }, decisions: undefined, authorization }) });
    expect(warned(agent())).toEqual([expect.stringContaining("a bundle with roots [''] leaves OPA's API readable")]);
    expect(warned(agent(OpaAuthorization.OFF))).toEqual([]);
    expect(warned(agent(OpaAuthorization.OWN_POLICY))).toEqual([]);
  });

  test('a rollout that leaves the clients of a Local Service without an answer', () => {
    const agent = (internalTrafficPolicy?: InternalTrafficPolicy) => new PolicyAgent(testChart(), 'Cerbos', {
      engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()], internalTrafficPolicy,
    });
    expect(warned(agent())).toEqual([expect.stringContaining('a rollout of role group default takes the agent of a node away before the new one answers')]);
    expect(warned(agent(InternalTrafficPolicy.CLUSTER))).toEqual([]);
  });

  test('Cerbos: replicas that do not see each other\'s writes', () => {
    const agent = (replicas: number) => new PolicyAgent(testChart(), 'Cerbos', {
      engine: cerbos({ storage: CerbosStorage.postgres('postgres://cerbos@db/cerbos') }), roleGroups: { default: { replicas } },
    });
    expect(warned(agent(2))).toEqual([expect.stringContaining('agents with storage postgres do not notice changes')]);
    expect(warned(agent(1))).toEqual([]);
  });
});
