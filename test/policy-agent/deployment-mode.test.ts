import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { AgentAccess, DeploymentMode, DisruptionBudget, PolicyAgentProps } from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const kinds = (objects: any[]) => objects.map(({ kind }) => kind).sort();

describe('the default deployment mode is the engine\'s', () => {
  test('OPA: a DaemonSet', () => {
    expect(kinds(agentObjects({ engine: opa() }))).toEqual(['ConfigMap', 'ConfigMap', 'ConfigMap', 'DaemonSet', 'Service']);
  });

  test('Cerbos: a Deployment', () => {
    expect(kinds(agentObjects({ engine: cerbos() }))).toEqual(['ConfigMap', 'ConfigMap', 'ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service']);
  });

  test('either can be chosen', () => {
    expect(kinds(agentObjects({ engine: opa(), deploymentMode: DEPLOYMENT }))).toContain('Deployment');
    expect(kinds(agentObjects({ engine: cerbos(), deploymentMode: DAEMON_SET }))).toContain('DaemonSet');
  });
});

describe.each([['OPA', opa], ['Cerbos', cerbos]])('what follows from the mode, for %s', (_, engine) => {
  const objectsOf = (props: Partial<PolicyAgentProps>) => agentObjects({ engine: engine(), ...props });

  test('DaemonSet: no replicas, Local, surge, no budget, no anti-affinity', () => {
    const objects = objectsOf({ deploymentMode: DAEMON_SET });
    const { spec } = find(objects, 'DaemonSet');
    expect(spec.replicas).toBeUndefined();
    expect(spec.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(spec.template.spec.affinity).toBeUndefined();
    expect(find(objects, 'Service').spec.internalTrafficPolicy).toBe('Local');
    expect(kinds(objects)).not.toContain('PodDisruptionBudget');
  });

  test.each([
    ['hostPort', [AgentAccess.hostPort()]],
    ['a fixed node socket', [AgentAccess.unixSocket()]],
  ])('DaemonSet with %s: no surge', (__, access) => {
    const { spec } = find(objectsOf({ deploymentMode: DAEMON_SET, access }), 'DaemonSet');
    expect(spec.updateStrategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });

  test('Deployment: two replicas, no traffic policy, surge, a budget of 1, soft anti-affinity by host name', () => {
    const objects = objectsOf({ deploymentMode: DEPLOYMENT });
    const { spec } = find(objects, 'Deployment');
    expect(spec.replicas).toBe(2);
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([{
      weight: 70,
      podAffinityTerm: {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: {
          matchLabels: {
            'app.kubernetes.io/name': engine().engineName,
            'app.kubernetes.io/instance': 'agent',
            'app.kubernetes.io/component': 'server',
          },
        },
      },
    }]);
    expect(find(objects, 'Service').spec).not.toHaveProperty('internalTrafficPolicy');
    expect(find(objects, 'PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  });
});

describe('workloads of both kinds can live side by side', () => {
  const [daemonSet, deployment] = [DAEMON_SET, DEPLOYMENT].map((deploymentMode) => agentObjects({ engine: opa(), deploymentMode }));

  test('the Service selects the pods of both', () => {
    const [a, b] = [daemonSet, deployment].map((objects) => find(objects, 'Service').spec.selector);
    expect(a).toEqual(b);
    for (const objects of [daemonSet, deployment]) expect(podTemplate(objects).metadata.labels).toMatchObject(a);
  });

  test('workloads and budgets select their own kind only', () => {
    const label = 'cdk8s-platform-services/workload-kind';
    expect(find(daemonSet, 'DaemonSet').spec.selector.matchLabels[label]).toBe('DaemonSet');
    expect(find(deployment, 'Deployment').spec.selector.matchLabels[label]).toBe('Deployment');
    expect(find(deployment, 'PodDisruptionBudget').spec.selector.matchLabels[label]).toBe('Deployment');
  });
});

describe('rollout and budget can be chosen', () => {
  test('one field decides the other', () => {
    const rolling = (props: Partial<PolicyAgentProps>) => find(agentObjects({ engine: opa(), ...props }), 'DaemonSet').spec.updateStrategy.rollingUpdate;
    expect(rolling({ rollout: { maxUnavailable: PercentOrAbsolute.percent(10) } })).toEqual({ maxSurge: 0, maxUnavailable: '10%' });
    expect(rolling({ rollout: { maxSurge: PercentOrAbsolute.percent(25) } })).toEqual({ maxSurge: '25%', maxUnavailable: 0 });
  });

  test('a budget of another size, or none', () => {
    const budgets = (disruptionBudget: DisruptionBudget) => agentObjects({ engine: cerbos(), disruptionBudget })
      .filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ spec }) => spec.maxUnavailable ?? spec.minAvailable);
    expect(budgets(DisruptionBudget.maxUnavailable(PercentOrAbsolute.percent(50)))).toEqual(['50%']);
    expect(budgets(DisruptionBudget.minAvailable(PercentOrAbsolute.absolute(1)))).toEqual([1]);
    expect(budgets(DisruptionBudget.none())).toEqual([]);
  });

  test('autoscaling leaves the number of replicas to the autoscaler', () => {
    const autoscaling = { minReplicas: 3, maxReplicas: 9, targetCpuPercent: 60 };
    const objects = agentObjects({ engine: cerbos(), roleGroups: { default: { autoscaling } } });
    expect(find(objects, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(find(objects, 'HorizontalPodAutoscaler').spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'agent-default' },
      minReplicas: 3,
      maxReplicas: 9,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
    });
  });
});
