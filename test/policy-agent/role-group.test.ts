import { App, Chart } from 'cdk8s';
import { DeploymentMode, InternalTrafficPolicy, NodeRequirement, PolicyAgent, TaintEffect, Toleration } from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate, synthesise, testChart } from '../support/synth';

test('a workload each; one Service, one discovery ConfigMap and one budget for all', () => {
  const objects = agentObjects({ engine: cerbos(), roleGroups: { small: { replicas: 3 }, large: { replicas: 1, nodes: [NodeRequirement.in('size', ['l', 'xl'])] } } });
  expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
    'ConfigMap/agent-config', 'ConfigMap/agent-policies', 'Deployment/agent-small', 'Deployment/agent-large', 'PodDisruptionBudget/agent', 'Service/agent',
    'ConfigMap/agent',
  ]);
  expect(find(objects, 'Deployment', 'agent-small').spec.replicas).toBe(3);
  expect(find(objects, 'Deployment', 'agent-large').spec.replicas).toBe(1);
  expect(find(objects, 'PodDisruptionBudget').spec.selector.matchLabels).not.toHaveProperty('app.kubernetes.io/role-group');
  expect(find(objects, 'Service').spec.selector).not.toHaveProperty('app.kubernetes.io/role-group');
  for (const group of ['small', 'large']) {
    expect(find(objects, 'Deployment', `agent-${group}`).spec.selector.matchLabels).toEqual(podTemplate(objects, group).metadata.labels);
    expect(podTemplate(objects, group).metadata.labels).toMatchObject({ 'app.kubernetes.io/role-group': group });
  }
});

test('node selection, tolerations, resources and overrides for each', () => {
  const objects = agentObjects({
    engine: opa(),
    internalTrafficPolicy: InternalTrafficPolicy.CLUSTER,
    roleGroups: {
      gpu: {
        nodes: [NodeRequirement.exists('gpu'), NodeRequirement.notIn('zone', ['z3'])],
        tolerations: [Toleration.exists('gpu', TaintEffect.NO_SCHEDULE), Toleration.equal('team', 'ml'), Toleration.everyTaint()],
        resources: { cpuRequest: '2', memoryLimit: '1Gi' },
        podOverrides: { spec: { hostname: 'gpu' } },
      },
      rest: { nodes: [NodeRequirement.doesNotExist('gpu')] },
    },
  });
  const { spec } = podTemplate(objects, 'gpu');
  expect(spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms).toEqual([{
    matchExpressions: [{ key: 'gpu', operator: 'Exists' }, { key: 'zone', operator: 'NotIn', values: ['z3'] }],
  }]);
  expect(spec.tolerations).toEqual([
    { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'team', operator: 'Equal', value: 'ml' },
    { operator: 'Exists' },
  ]);
  expect(spec.containers[0].resources).toEqual({ requests: { cpu: '2', memory: '128Mi' }, limits: { memory: '1Gi' } });
  expect(spec.hostname).toBe('gpu');
  expect(podTemplate(objects, 'rest').spec).not.toHaveProperty('hostname');
});

test('replicas in DaemonSet mode are ignored, with a warning that names the group', () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const chart = testChart();
  const agent = new PolicyAgent(chart, 'Agent', { engine: opa(), roleGroups: { edge: { replicas: 3 } } });
  expect(find(synthesise(chart), 'DaemonSet').spec).not.toHaveProperty('replicas');
  const warning = 'replicas 3 of role group edge is ignored: deploymentMode DaemonSet runs one pod on each node';
  expect(agent.node.metadata.map(({ type, data }) => [type, data])).toEqual([['cdk8s-platform-services/warning', warning]]);
  expect(write.mock.calls).toEqual([[`[warning] [test/Agent] ${warning}\n`]]);
  write.mockRestore();
});

test('objects are found by the role group\'s name', () => {
  const chart = new Chart(new App(), 'test');
  const agent = new PolicyAgent(chart, 'Agent', { engine: opa(), deploymentMode: DeploymentMode.DEPLOYMENT, roleGroups: { a: {}, b: { autoscaling: { maxReplicas: 3 } } } });
  expect(Object.keys(agent.workloads)).toEqual(['a', 'b']);
  expect(Object.keys(agent.autoscalers)).toEqual(['b']);
  expect(agent.node.defaultChild).toBe(agent.workloads.a);
});
