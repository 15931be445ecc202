import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { AgentAccess, DeploymentMode, DisruptionBudget, InternalTrafficPolicy, PolicyAgent, PolicyAgentProps } from '../../lib';
import { agentObjects, find, opa, synthesise, testChart } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const release = (props: Partial<PolicyAgentProps>) => agentObjects({ engine: opa(), ...props });
const names = (objects: any[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe.each([
  ['DaemonSet to Deployment', DAEMON_SET, DEPLOYMENT],
  ['Deployment to DaemonSet', DEPLOYMENT, DAEMON_SET],
])('a change from %s takes three releases', (_, from, to) => {
  const [before, between, after] = [{ deploymentMode: from }, { deploymentMode: to, migrateFrom: from }, { deploymentMode: to }].map(release);

  test('in the second one both workloads stand, as they were and as they will be', () => {
    expect(find(between, from)).toEqual(find(before, from));
    const { minReadySeconds, ...spec } = find(between, to).spec;
    expect({ ...find(between, to), spec }).toEqual(find(after, to));
    // `kubectl rollout status` is over when its pods are endpoints of the Service, not before.
    expect(minReadySeconds).toBe(5);
  });

  test('one Service reaches the pods of both, wherever they are', () => {
    const { spec } = find(between, 'Service');
    expect(spec).not.toHaveProperty('internalTrafficPolicy');
    for (const kind of [from, to]) expect(find(between, kind).spec.template.metadata.labels).toMatchObject(spec.selector);
  });

  test('the budget is that of the Deployment', () => {
    expect(find(between, 'PodDisruptionBudget').spec.selector.matchLabels).toEqual({
      ...find(between, 'Service').spec.selector, 'cdk8s-platform-services/workload-kind': 'Deployment',
    });
  });

  test('nothing else changes, and nothing of the old mode is left in the third one', () => {
    const others = (objects: any[]) => objects.filter(({ kind }) => !['DaemonSet', 'Deployment', 'Service', 'PodDisruptionBudget'].includes(kind));
    expect(others(between)).toEqual(others(before));
    expect(others(after)).toEqual(others(before));
    expect(names(after)).not.toContain(`${from}/agent-default`);
  });
});

test('selectors of both workloads are disjoint, and none ever changes', () => {
  const between = release({ deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET });
  const [a, b] = ['DaemonSet', 'Deployment'].map((kind) => find(between, kind).spec.selector.matchLabels);
  expect(Object.keys(a).filter((key) => a[key] !== b[key])).toEqual(['cdk8s-platform-services/workload-kind']);
});

test('what the Deployment was given stays with it until it goes', () => {
  const scaled = {
    disruptionBudget: DisruptionBudget.maxUnavailable(PercentOrAbsolute.percent(50)),
    topologySpread: [{ topologyKey: 'zone' }],
    roleGroups: { default: { autoscaling: { maxReplicas: 5 } } },
  };
  const between = release({ deploymentMode: DAEMON_SET, migrateFrom: DEPLOYMENT, ...scaled });
  const before = release({ deploymentMode: DEPLOYMENT, ...scaled });
  for (const kind of ['Deployment', 'PodDisruptionBudget', 'HorizontalPodAutoscaler']) expect(find(between, kind)).toEqual(find(before, kind));
  expect(find(between, 'DaemonSet').spec.template.spec).not.toHaveProperty('topologySpreadConstraints');
});

test('the objects are found, and a warning says what to do next', () => {
  const chart = testChart();
  const agent = new PolicyAgent(chart, 'Agent', { engine: opa(), deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET });
  expect([agent.workloads.default.kind, agent.previousWorkloads.default.kind]).toEqual(['Deployment', 'DaemonSet']);
  expect(agent.node.metadata.map(({ data }) => data)).toEqual([
    'the deployment mode is being changed from DaemonSet to Deployment: when this release is rolled out (kubectl rollout status), leave migrateFrom out of the next one',
  ]);
  expect(synthesise(chart).length).toBeGreaterThan(0);
});

describe('fails', () => {
  test.each<[string, Partial<PolicyAgentProps>, string]>([
    ['to change a mode to itself', { migrateFrom: DAEMON_SET }, 'migrateFrom DaemonSet is the deploymentMode itself: leave it out'],
    ['with clients at a hostPort, which says what to change first', { deploymentMode: DAEMON_SET, migrateFrom: DEPLOYMENT, access: [AgentAccess.hostPort()] },
      'migrateFrom with access by a hostPort: while both workloads stand, only the Service reaches the pods of both; first release the agent with AgentAccess.service()'],
    ['with clients at a socket, which says what to change first', { deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()] },
      'migrateFrom with access by a Unix socket'],
    ['with clients that must stay on their node', { deploymentMode: DAEMON_SET, migrateFrom: DEPLOYMENT, internalTrafficPolicy: InternalTrafficPolicy.LOCAL },
      'migrateFrom with internalTrafficPolicy Local'],
  ])('%s', (_, props, error) => {
    expect(() => release(props)).toThrow(`[test/Agent] ${error}`);
  });
});

test('annotations stand on all objects, for tools that deploy them', () => {
  for (const { metadata } of release({ deploymentMode: DEPLOYMENT, annotations: { 'argocd.argoproj.io/sync-options': 'PruneLast=true' } })) {
    expect(metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-options': 'PruneLast=true' });
  }
});
