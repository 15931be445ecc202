import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { App, Chart } from 'cdk8s';
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { METRICS_DEFINITION, metricsOf } from './metrics-server';
import { SERVER_REFUSALS } from './server-refusals';
import { agent, Trial } from './trial';
import {
  Acknowledgement, AgentAccess, DeploymentMode, DisruptionBudget, NodeRequirement, PolicyAgent, PolicyAgentProps, PolicyFiles, UnsatisfiableSpread,
} from '../../lib';
import { ControlPlane } from '../rig/control-plane';
import { addNodes, FakeNode, startKwok } from '../rig/fake-nodes';
import { toYaml } from '../rig/kubectl';
import { find, opa, podTemplate } from '../support/synth';

type Props = Partial<PolicyAgentProps>;

const { DEPLOYMENT } = DeploymentMode;
const ZONE = 'topology.kubernetes.io/zone';
const HOST_PORT: Props = { access: [AgentAccess.hostPort()] };
const NO_FREE_PORT = /didn't have free ports for the requested pod ports/;
const AUTOSCALED: Props = { deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5 } } } };
const count = (pods: number) => PercentOrAbsolute.absolute(pods);

/** Three nodes in one zone, one in another. */
const NODES: FakeNode[] = [1, 2, 3, 4].map((number) => ({
  name: `node-${number}`, labels: { [ZONE]: number < 4 ? 'a' : 'b', ...(number < 3 && { gpu: 'yes' }) },
}));

/** As clusters have it that keep `system-*` priority classes from most namespaces. */
const LIMITED_PRIORITIES = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [{
    name: 'ResourceQuota',
    configuration: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources: [{ resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }] }],
    },
  }],
};

let plane: ControlPlane;
const directory = mkdtempSync(join(tmpdir(), 'refusals-'));

beforeAll(async () => {
  const admission = join(directory, 'admission.json');
  writeFileSync(admission, JSON.stringify(LIMITED_PRIORITIES));
  plane = await ControlPlane.start({
    apiServerArgs: [`--admission-control-config-file=${admission}`],
    controllerArgs: ['--horizontal-pod-autoscaler-sync-period=1s'],
  });
  await startKwok(plane);
  await addNodes(plane, NODES);
});

afterAll(async () => {
  await plane?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('the API server refuses', () => {
  test.each(SERVER_REFUSALS.map((row) => [row.what, row] as const))('%s', async (_, { refused, words, allowed, patch, error }) => {
    expect(() => agent('default', refused())).toThrow(words);
    const objects = agent('default', allowed);
    patch(objects);
    expect(await plane.kubectl.refusal(objects, '--dry-run=server')).toMatch(error);
  });
});

describe('the scheduler leaves pending', () => {
  test.each<[string, Props]>([
    ['surges with a hostPort', HOST_PORT],
    ['surges on the network of its nodes', { podOverrides: { spec: { hostNetwork: true } } }],
  ])('the new pods of a rollout that %s, which never ends', async (title, props) => {
    refuses({ ...props, rollout: { maxSurge: count(1) } }, /the new pod waits for the port of the old one/);
    await trial(title, async (it) => {
      const objects = it.agent(props);
      find(objects, 'DaemonSet').spec.updateStrategy.rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
      await it.rollOut(objects);
      podTemplate(objects).metadata.annotations.release = '2';
      await it.apply(objects);
      await it.untilPending(1, NO_FREE_PORT);
      const [{ status }] = await it.list('daemonsets');
      expect(status).toMatchObject({ desiredNumberScheduled: 4, numberAvailable: 4 });
      const running = (await it.list('pods')).filter((pod) => pod.status.phase === 'Running');
      expect(running.map((pod) => pod.metadata.annotations.release)).toEqual([undefined, undefined, undefined, undefined]);
    });
  });

  test('replicas of a Deployment with a hostPort beyond the number of nodes', async () => {
    refuses({ ...HOST_PORT, deploymentMode: DEPLOYMENT }, /two pods cannot share one/);
    await trial('replicas', async (it) => {
      await it.apply(withHostPort(it.agent({ deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 5 } } })));
      await it.untilPending(1, NO_FREE_PORT);
    });
  });

  test('the second of two agents with one host port', async () => {
    expect(twoAgents((name) => ({ ...HOST_PORT, instanceName: name }))).toThrow('port 8181 of the nodes is claimed more than once');
    await trial('two-ports', async (it) => {
      await it.rollOut(it.agent({ ...HOST_PORT, instanceName: 'first' }));
      await it.apply(it.agent({ ...HOST_PORT, instanceName: 'second' }));
      await it.untilPending(4, NO_FREE_PORT);
    });
  });

  test('the new workload of a change of modes with a hostPort', async () => {
    refuses({ ...HOST_PORT, migrateFrom: DEPLOYMENT }, /migrateFrom with access by a hostPort/);
    await trial('migration', async (it) => {
      await it.rollOut(it.agent(HOST_PORT));
      await it.apply([find(withHostPort(it.agent({ deploymentMode: DEPLOYMENT })), 'Deployment')]);
      await it.untilPending(2, NO_FREE_PORT);
    });
  });
});

describe('the scheduler does not heed', () => {
  test('the spreading of a DaemonSet, nor its weight', async () => {
    refuses({ topologySpread: [{ topologyKey: ZONE, whenUnsatisfiable: UnsatisfiableSpread.DO_NOT_SCHEDULE }] }, /topologySpread with .* has no effect/);
    refuses({ spreadWeight: 50 }, /spreadWeight with .* has no effect/);
    await trial('spread', async (it) => {
      const labelSelector = { matchLabels: { 'app.kubernetes.io/instance': 'agent' } };
      await it.rollOut(it.agent({
        podOverrides: {
          spec: {
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: { topologyKey: ZONE, labelSelector } }],
              },
            },
            topologySpreadConstraints: [{ topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
          },
        },
      }));
      // Three pods in one zone and one in the other: the skew is 2.
      expect(await it.nodes()).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
    });
  });

  test('that two role groups stand on one node', async () => {
    const roleGroups = { gpu: { nodes: [NodeRequirement.exists('gpu')] }, all: {} };
    refuses({ roleGroups }, /role groups gpu and all may both select/);
    await trial('overlap', async (it) => {
      await it.rollOut(it.agent({ roleGroups, acknowledge: [Acknowledgement.OVERLAPPING_ROLE_GROUPS] }));
      expect(await it.nodes()).toEqual(['node-1', 'node-1', 'node-2', 'node-2', 'node-3', 'node-4']);
    });
  });
});

describe('an eviction', () => {
  const BLOCKED = /TooManyRequests.*Cannot evict pod as it would violate the pod's disruption budget/;

  test.each<[string, () => Props, RegExp, object]>([
    ['minAvailable of all pods', () => budget(DisruptionBudget.minAvailable(count(2))), /minAvailable 2 of 2 pods would block every eviction/, { minAvailable: 2 }],
    [
      'a percentage that comes to all pods', () => budget(DisruptionBudget.minAvailable(PercentOrAbsolute.percent(51))),
      /minAvailable 51% of 2 pods would block every eviction/, { minAvailable: '51%' },
    ],
    ['maxUnavailable of none', () => budget(DisruptionBudget.maxUnavailable(count(0))), /it would block every eviction/, { maxUnavailable: 0 }],
  ])('is blocked by %s', async (title, refused, words, limits) => {
    expect(() => agent('default', refused())).toThrow(words);
    await trial(title, async (it) => {
      await it.rollOut([...it.agent({ deploymentMode: DEPLOYMENT, disruptionBudget: DisruptionBudget.none() }), budgetOf('Deployment', it, limits)]);
      await it.untilCondition('poddisruptionbudgets', 'InsufficientPods');
      expect(await it.evict()).toMatch(BLOCKED);
    });
  });

  test('of a pod of a DaemonSet is blocked by a budget whose pods nobody can count, though all are ready', async () => {
    refuses({ disruptionBudget: DisruptionBudget.maxUnavailable(count(1)) }, /Kubernetes cannot count the wanted pods of a DaemonSet/);
    await trial('uncountable', async (it) => {
      await it.rollOut([...it.agent(), budgetOf('DaemonSet', it, { maxUnavailable: 1 })]);
      await it.untilCondition('poddisruptionbudgets', 'SyncFailed');
      expect(await it.evict()).toMatch(BLOCKED);
    });
  });

  test('by a drain passes over the pods of a DaemonSet, whatever their budget says', async () => {
    refuses({ disruptionBudget: DisruptionBudget.minAvailable(count(4)) }, /drains pass over such pods/);
    await trial('drained', async (it) => {
      await it.rollOut([...it.agent(), budgetOf('DaemonSet', it, { minAvailable: 4 })]);
      await it.untilCondition('poddisruptionbudgets', 'InsufficientPods');
      await plane.kubectl.run('drain', 'node-4', '--ignore-daemonsets', '--timeout=20s');
      await plane.kubectl.run('uncordon', 'node-4');
      expect(await it.nodes()).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
    });
  });
});

describe('the autoscaler', () => {
  test('fails on a DaemonSet, which cannot be scaled', async () => {
    refuses({ ...AUTOSCALED, deploymentMode: undefined }, /autoscaling of role group default with deploymentMode DaemonSet/);
    await trial('scaled-daemons', async (it) => {
      const autoscaler = find(it.agent(AUTOSCALED), 'HorizontalPodAutoscaler');
      autoscaler.spec.scaleTargetRef.kind = 'DaemonSet';
      await it.apply([...it.agent(), autoscaler]);
      await it.untilCondition('horizontalpodautoscalers', 'FailedGetScale');
    });
  });

  test.each<[string, string | undefined, string, RegExp]>([
    ['works with a CPU request', '100m', 'ValidMetricFound', /from cpu resource utilization/],
    ['fails without one', undefined, 'FailedGetResourceMetric', /missing request for cpu in container opa/],
    ['fails with one of 0', '0', 'FailedGetResourceMetric', /failed to get cpu utilization/],
  ])('that aims at a percentage %s', async (title, cpuRequest, reason, message) => {
    refuses({ deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5 }, resources: { cpuRequest: '0' } } } }, /needs a CPU request/);
    await plane.kubectl.apply([METRICS_DEFINITION]);
    await plane.kubectl.run('wait', '--for=condition=Established', 'crd/pods.metrics.k8s.io');
    await trial(title, async (it) => {
      const objects = it.agent(AUTOSCALED);
      const [{ resources: { requests } }] = podTemplate(objects).spec.containers;
      delete requests.cpu;
      if (cpuRequest) requests.cpu = cpuRequest;
      await it.rollOut(objects);
      await it.apply((await it.list('pods')).map(metricsOf));
      await it.untilCondition('horizontalpodautoscalers', reason, message);
    });
  });
});

describe('an apply', () => {
  test('of two agents with one name leaves the second one only', async () => {
    expect(twoAgents(() => ({ instanceName: 'agent' }))).toThrow('DaemonSet agent-default in namespace two is claimed more than once');
    await trial('twins', async (it) => {
      await it.apply(it.agent({ labels: { team: 'first' } }));
      await it.apply(it.agent({ labels: { team: 'second' } }));
      expect((await it.list('daemonsets')).map(({ metadata }) => metadata.labels.team)).toEqual(['second']);
    });
  });

  test("on the client's side cannot write a ConfigMap above 256 KiB", async () => {
    const engine = opa({ policies: [PolicyFiles.inline({ 'authz.rego': `package authz\n# ${'x'.repeat(256 * 1024)}\n` })] });
    refuses({ engine }, /at most 262144 are allowed for client-side apply/);
    await trial('large', async (it) => {
      const objects = it.agent({ engine, acknowledge: [Acknowledgement.SERVER_SIDE_APPLY] });
      const { stderr } = await plane.kubectl.try(['apply', '--filename=-'], toYaml([find(objects, 'ConfigMap', 'agent-policies')]));
      expect(stderr).toMatch(/metadata\.annotations: Too long: may not be more than 262144 bytes/);
      await it.apply(objects);
    });
  });
});

describe('where a cluster limits priority classes, pods', () => {
  const objects = (it: Trial) => it.agent({ priorityClassName: 'system-node-critical' });

  test('are refused without the quota of the agent', async () => {
    await trial('no-quota', async (it) => {
      await it.apply(objects(it).filter(({ kind }) => kind !== 'ResourceQuota'));
      await plane.until('a refusal', async () => (await it.list('events'))
        .some(({ message }) => /insufficient quota to match these scopes: .*system-node-critical/.test(message)));
      expect(await it.list('pods')).toEqual([]);
    });
  });

  test('are admitted with it', async () => trial('quota', async (it) => it.rollOut(objects(it))));
});

function refuses(props: Props, words: RegExp) {
  expect(() => agent('default', props)).toThrow(words);
}

/** Makes two agents in one namespace of one app. */
function twoAgents(props: (name: string) => Props): () => void {
  return () => {
    const app = new App();
    for (const name of ['first', 'second']) new PolicyAgent(new Chart(app, name, { namespace: 'two' }), 'Agent', { engine: opa(), ...props(name) });
    app.synthYaml();
  };
}

async function trial(title: string, work: (it: Trial) => Promise<void>) {
  await Trial.run(plane, title.toLowerCase().replace(/\W+/g, '-'), work);
}

function withHostPort(objects: any[]): any[] {
  podTemplate(objects).spec.containers[0].ports[0].hostPort = 8181;
  return objects;
}

function budget(disruptionBudget: DisruptionBudget): Props {
  return { deploymentMode: DEPLOYMENT, disruptionBudget };
}

/** The budget that an agent's Deployment has, with other limits, for the pods of either workload. */
function budgetOf(workloadKind: string, it: Trial, limits: object): any {
  const object = find(it.agent({ deploymentMode: DEPLOYMENT }), 'PodDisruptionBudget');
  const { maxUnavailable, ...spec } = object.spec;
  spec.selector.matchLabels['cdk8s-platform-services/workload-kind'] = workloadKind;
  return { ...object, spec: { ...spec, ...limits } };
}
