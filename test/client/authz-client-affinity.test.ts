import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { AuthzClientAffinity, AuthzClientAffinityProps, PolicyAgent } from '../../lib';
import { deployment, listed, opaAgent, opaTerm, preferredTerms, twoCharts } from '../support/clients';
import { synthesise, testChart } from '../support/synth';

const LABEL = 'cdk8s-platform-services/policy-agent';
const termsOf = (object: ApiObject) => preferredTerms(object.toJson().spec.template.spec);

/** What becomes of one Deployment in the agent's namespace. */
function foundIn(
  pod: any, metadata: any = {}, props: Partial<AuthzClientAffinityProps> = {},
): { terms: any[]; clients: string[]; warnings: string[] } {
  const chart = testChart();
  const near = new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart), ...props });
  const web = deployment(chart, 'Web', pod, metadata);
  synthesise(chart);
  return { terms: termsOf(web), clients: listed(near, 'client'), warnings: listed(near, 'warning') };
}

const container = (more: any, name = 'web') => ({ containers: [{ name, image: 'web:1', ...more }] });
const key = { key: 'OPA', name: 'opa' };

describe('a client is found by what it says without doubt', () => {
  test.each<[string, any, any, string]>([
    ['a variable', container({ env: [{ name: 'PDP', valueFrom: { configMapKeyRef: key } }] }), {}, 'variable PDP of container web from ConfigMap opa'],
    ['all variables', container({ envFrom: [{ configMapRef: { name: 'opa' } }] }), {}, 'variables of container web from ConfigMap opa'],
    ['a variable of an init container', { initContainers: [{ name: 'init', image: 'i:1', env: [{ name: 'PDP', valueFrom: { configMapKeyRef: key } }] }] }, {}, 'variable PDP of container init from ConfigMap opa'],
    ['a volume', { volumes: [{ name: 'pdp', configMap: { name: 'opa' } }] }, {}, 'volume pdp from ConfigMap opa'],
    ['a volume of several sources', { volumes: [{ name: 'pdp', projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'opa' } }] } }] }, {}, 'volume pdp from ConfigMap opa'],
    ['its label', {}, { labels: { [LABEL]: 'opa' } }, `label ${LABEL}: opa`],
    ['its label with the namespace', {}, { labels: { [LABEL]: 'opa.authz' } }, `label ${LABEL}: opa.authz`],
  ])('by %s', (_, pod, metadata, reason) => {
    expect(foundIn(pod, metadata)).toEqual({ terms: [opaTerm()], clients: [`test/Web (Deployment/web): ${reason}`], warnings: [] });
  });

  test('by a label of its pods', () => {
    const chart = testChart();
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) });
    const web = new ApiObject(chart, 'Web', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web', [LABEL]: 'opa' } }, spec: container({}) } },
    });
    synthesise(chart);
    expect(termsOf(web)).toEqual([opaTerm()]);
  });

  test.each<[string, any, any]>([
    ['nothing', {}, {}],
    ['another ConfigMap', container({ envFrom: [{ configMapRef: { name: 'opa2' } }] }), {}],
    ['the ConfigMap of that name in another namespace', container({ envFrom: [{ configMapRef: { name: 'opa' } }] }), { namespace: 'web' }],
    ['the agent of that name in another namespace', {}, { namespace: 'web', labels: { [LABEL]: 'opa' } }],
    ['another agent', {}, { labels: { [LABEL]: 'opa.web' } }],
    ['a Secret of that name', container({ envFrom: [{ secretRef: { name: 'opa' } }] }), {}],
  ])('and not by %s', (_, pod, metadata) => {
    expect(foundIn(pod, metadata)).toEqual({ terms: [], clients: [], warnings: [expect.stringContaining('no client of agent opa was found')] });
  });

  test('from another namespace by a label that names it', () => {
    expect(foundIn({}, { namespace: 'web', labels: { [LABEL]: 'opa.authz' } }).terms).toEqual([opaTerm('authz')]);
  });

  test('and where nobody can tell, a warning says so', () => {
    const app = new App();
    const chart = new Chart(app, 'unknown');
    const near = new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(new Chart(app, 'agent', { namespace: 'authz' })) });
    const web = deployment(chart, 'Web', container({ envFrom: [{ configMapRef: { name: 'opa' } }] }));
    app.synthYaml();
    expect(termsOf(web)).toEqual([]);
    expect(listed(near, 'warning')[0]).toMatch(/^unknown\/Web \(Deployment\/web\): variables of container web from ConfigMap opa, but nobody can tell at synth/);
  });

  test('two namespaces that are not known count as the same one', () => {
    const chart = new Chart(new App(), 'unknown');
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) });
    const web = deployment(chart, 'Web', container({ envFrom: [{ configMapRef: { name: 'opa' } }] }));
    synthesise(chart);
    expect(termsOf(web)).toEqual([opaTerm()]);
  });
});

describe('affinity', () => {
  const labels = { labels: { [LABEL]: 'opa' } };

  test('is all that a found client gets', () => {
    const chart = testChart();
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) });
    const web = deployment(chart, 'Web', {}, labels);
    synthesise(chart);
    const { affinity, ...pod } = web.toJson().spec.template.spec;
    expect(Object.keys(affinity)).toEqual(['podAffinity']);
    expect(pod).toEqual({ containers: [{ name: 'web', image: 'web:1' }, { name: 'log', image: 'log:1' }] });
  });

  test('has another weight, topology and further terms, if they are asked for', () => {
    const extra = { weight: 3, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } } };
    const { terms } = foundIn({}, labels, { weight: 5, topologyKey: 'rack', extraTerms: [extra] });
    const own = opaTerm(undefined, 5);
    expect(terms).toEqual([{ ...own, podAffinityTerm: { ...own.podAffinityTerm, topologyKey: 'rack' } }, extra]);
  });

  test('is a condition only by an explicit option', () => {
    const chart = testChart();
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart), required: true });
    const web = deployment(chart, 'Web', {}, labels);
    synthesise(chart);
    expect(web.toJson().spec.template.spec.affinity).toEqual({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [opaTerm().podAffinityTerm] },
    });
  });

  test.each<[string, Partial<AuthzClientAffinityProps>, string]>([
    ['a weight of 0, which would be a condition', { weight: 0 }, 'weight must be a whole number from 1 to 100, given 0'],
    ['a weight above 100', { weight: 101 }, 'weight must be a whole number from 1 to 100, given 101'],
    ['half a weight', { weight: 1.5 }, 'weight must be a whole number from 1 to 100, given 1.5'],
    ['a weight of a condition', { weight: 5, required: true }, 'weight has no meaning with required'],
    ['no topology', { topologyKey: '' }, 'topologyKey must not be empty'],
    ['a further term without a weight', { extraTerms: [{}] }, 'weight of extraTerms[0] must be a whole number from 1 to 100, given undefined'],
    ['a further term that selects nothing', { extraTerms: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }] }, 'podAffinityTerm of extraTerms[0] needs topologyKey and labelSelector'],
  ])('fails with %s', (_, props, error) => {
    expect(() => foundIn({}, labels, props)).toThrow(`[test/NearOpa] ${error}`);
    expect(() => AuthzClientAffinity.mixin({ agent: opaAgent(testChart()), ...props })).toThrow(error);
  });
});

describe('the scope', () => {
  test('is that of the construct, those that come later included', () => {
    const { agents, clients } = twoCharts('authz');
    const agent = opaAgent(agents);
    const near = new AuthzClientAffinity(clients, 'NearOpa', { agent });
    const labels = { labels: { [LABEL]: 'opa' } };
    const later = deployment(new Chart(clients, 'nested', { namespace: 'authz' }), 'Later', {}, labels);
    const outside = deployment(agents, 'Outside', {}, labels);
    synthesise(clients);
    expect([termsOf(later), termsOf(outside)]).toEqual([[opaTerm()], []]);
    expect(listed(near, 'client')).toHaveLength(1);
  });

  test('of a mixin is what exists', () => {
    const chart = testChart();
    const agent = opaAgent(chart);
    const labels = { labels: { [LABEL]: 'opa' } };
    const web = deployment(chart, 'Web', {}, labels);
    chart.with(AuthzClientAffinity.mixin({ agent }));
    const later = deployment(chart, 'Later', {}, labels);
    synthesise(chart);
    expect([termsOf(web), termsOf(later)]).toEqual([[opaTerm()], []]);
    expect(listed(chart.node.root as App, 'client')).toEqual([`test/Web (Deployment/web): label ${LABEL}: opa`]);
  });

  test('in which a mixin finds nothing is warned of', () => {
    const chart = testChart();
    deployment(chart, 'Web');
    chart.with(AuthzClientAffinity.mixin({ agent: opaAgent(chart) }));
    synthesise(chart);
    expect(listed(chart.node.root as App, 'warning')).toEqual([expect.stringContaining('no client of agent opa was found')]);
  });

  test('holds the agent itself, which is no client of its own', () => {
    const chart = testChart();
    const agent = opaAgent(chart, { podOverrides: { metadata: { labels: { [LABEL]: 'opa' } } } });
    new AuthzClientAffinity(chart, 'NearOpa', { agent });
    const elsewhere = PolicyAgent.fromDiscovery(chart, 'Same', { instanceName: 'opa', podLabels: agent.podLabels });
    new AuthzClientAffinity(chart, 'NearSame', { agent: elsewhere });
    synthesise(chart);
    expect(termsOf(agent.workloads.default)).toEqual([]);
  });
});

test('what was found, and why, is printed on request', () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    foundIn({}, { labels: { [LABEL]: 'opa' } }, { printClients: true });
  } finally {
    write.mockRestore();
  }
  expect(lines).toEqual([`[client] [test/NearOpa] test/Web (Deployment/web): label ${LABEL}: opa\n`]);
});

test('a warning is printed once in an app with many charts', () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    const app = Testing.app();
    const charts = ['a', 'b', 'c'].map((id) => new Chart(app, id));
    new AuthzClientAffinity(charts[0], 'NearOpa', { agent: opaAgent(charts[1]) });
    app.synth();
  } finally {
    write.mockRestore();
  }
  expect(lines).toHaveLength(1);
});
