import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { untilEndpoints } from './endpoints';
import {
  DeploymentMode, InternalTrafficPolicy, NodeRequirement, PolicyAgentProps, Toleration, UnsatisfiableSpread,
} from '../../lib';
import { agentManifests, OPA } from '../nodes/agents';
import { deploy, makeNamespace, rolledOut } from '../nodes/cluster';
import { ControlPlane } from '../rig/control-plane';
import { addNodes, DELETE_DELAY, FakeNode, numberedNodes, READY_DELAY, startKwok } from '../rig/fake-nodes';
import { Endpoint, Moment, ServiceWatch } from '../rig/service-watch';
import { find } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const GPU = 'example.com/gpu';
const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const RESERVED = 'example.com/reserved';

const PLAIN = numberedNodes(188);
const GPU_NODES = numberedNodes(10).map((node) => gpuNode(node, `gpu-${node.name}`));
const RESERVED_NODES = numberedNodes(2).map((node): FakeNode => ({ ...node, name: `reserved-${node.name}`, taints: [{ key: RESERVED, effect: 'NoSchedule' }] }));

/** Two role groups for two kinds of nodes. */
const BY_NODES: PolicyAgentProps['roleGroups'] = {
  default: { nodes: [NodeRequirement.doesNotExist(GPU)] },
  gpu: { nodes: [NodeRequirement.exists(GPU)], tolerations: [Toleration.exists(GPU)] },
};

/** Some nodes that no test adds, removes or taints. */
const THIRTY = PLAIN.slice(100, 130).map(({ name }) => name);
const UNCHANGED = [NodeRequirement.doesNotExist(GPU), NodeRequirement.in(HOST, THIRTY)];

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startKwok(plane);
  await addNodes(plane, [...PLAIN, ...GPU_NODES, ...RESERVED_NODES]);
}, 180_000);
afterAll(async () => plane?.stop(), 60_000);

function gpuNode(node: FakeNode, name: string): FakeNode {
  return { name, labels: { ...node.labels, [GPU]: 'true' }, taints: [{ key: GPU, effect: 'NoSchedule' }] };
}

const names = (nodes: FakeNode[]) => nodes.map(({ name }) => name);

/** The agent's manifests in a namespace of its own. */
async function agent(namespace: string, props: Partial<PolicyAgentProps>): Promise<any[]> {
  await makeNamespace(plane.kubectl, namespace, 'restricted');
  return agentManifests(OPA, namespace, props);
}

/** Names of the nodes that ready pods stand on, one for each pod, in order. */
async function nodesOf(namespace: string): Promise<string[]> {
  const pods = await plane.kubectl.list('pods', namespace);
  const ready = pods.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.conditions?.some(({ type, status: is }: any) => type === 'Ready' && is === 'True'));
  return ready.map(({ spec }) => spec.nodeName).sort();
}

async function untilOn(namespace: string, nodes: string[]) {
  const wanted = [...nodes].sort();
  await plane.until(`pods of ${namespace} on ${nodes.length} nodes`, async () => JSON.stringify(await nodesOf(namespace)) === JSON.stringify(wanted), 60);
}

/** Nodes whose taints the role groups tolerate, as the tests change them. */
const eligible = new Set(names([...PLAIN, ...GPU_NODES]));

describe('a DaemonSet on 200 nodes', () => {
  test('stands once on every node whose taints its role groups tolerate', async () => {
    await deploy(plane.kubectl, await agent('everywhere', { deploymentMode: DAEMON_SET, roleGroups: BY_NODES }));
    await untilOn('everywhere', [...eligible]);
    const pods = await plane.kubectl.list('pods', 'everywhere', 'app.kubernetes.io/role-group=gpu');
    expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(names(GPU_NODES).sort());
  });

  test.each<[string, () => Promise<unknown>, () => void]>([
    ['leaves a node that gets a taint', async () => plane.kubectl.run('taint', 'node', 'node-1', 'example.com/broken=:NoExecute'), () => eligible.delete('node-1')],
    ['comes back when the taint goes', async () => plane.kubectl.run('taint', 'node', 'node-1', 'example.com/broken-'), () => eligible.add('node-1')],
    ['stays where new pods may not go', async () => plane.kubectl.run('taint', 'node', 'node-2', 'example.com/full=:NoSchedule'), () => undefined],
    ['stays on a cordoned node', async () => plane.kubectl.run('cordon', 'node-3'), () => undefined],
    ['comes to a node that loses its taint', async () => plane.kubectl.run('taint', 'node', 'reserved-node-1', `${RESERVED}-`), () => eligible.add('reserved-node-1')],
    ['comes to a new node, and to one that its role group tolerates', async () => addNodes(plane, [{ name: 'new' }, gpuNode({ name: 'new-gpu' }, 'new-gpu')]),
      () => eligible.add('new').add('new-gpu')],
    ['does not come to a new node with a taint', async () => addNodes(plane, [{ name: 'new-reserved', taints: [{ key: RESERVED, effect: 'NoExecute' }] }]), () => undefined],
  ])('%s', async (_, change, expected) => {
    await change();
    expected();
    // What must not happen may still come: then the next test fails, or the last one.
    await untilOn('everywhere', [...eligible]);
  });

  // The controller lets 40 to 60 seconds pass before it takes a node's pods away: the last test looks for them.
  test('is told that a node is gone', async () => plane.kubectl.run('delete', 'node', 'node-4'));
});

describe('a Deployment on 200 nodes', () => {
  const zones = async (namespace: string) => {
    const zoneOf = new Map((await plane.kubectl.list('nodes')).map(({ metadata }) => [metadata.name, metadata.labels[ZONE]]));
    const counts: Record<string, number> = {};
    for (const node of await nodesOf(namespace)) counts[zoneOf.get(node)] = (counts[zoneOf.get(node)] ?? 0) + 1;
    return counts;
  };

  test.each<[string, PolicyAgentProps['roleGroups']]>([
    ['one', { default: { replicas: 40 } }],
    ['two', { default: { replicas: 20 }, other: { replicas: 20 } }],
  ])('puts no two pods on one node, whatever role groups they are of: %s', async (title, roleGroups) => {
    const namespace = `spread-${title}`;
    await deploy(plane.kubectl, await agent(namespace, { deploymentMode: DEPLOYMENT, roleGroups }));
    const nodes = await nodesOf(namespace);
    expect(nodes).toHaveLength(40);
    expect(new Set(nodes).size).toBe(40);
  });

  test('spreads over zones when it is told to, and still does after a rollout', async () => {
    const props = {
      deploymentMode: DEPLOYMENT,
      topologySpread: [{ topologyKey: ZONE, whenUnsatisfiable: UnsatisfiableSpread.DO_NOT_SCHEDULE }],
      roleGroups: { default: { replicas: 30, nodes: [NodeRequirement.exists(ZONE)] } },
    };
    await deploy(plane.kubectl, await agent('zones', props));
    expect(await zones('zones')).toEqual({ 'zone-1': 10, 'zone-2': 10, 'zone-3': 10 });
    await deploy(plane.kubectl, agentManifests(OPA, 'zones', { ...props, podAnnotations: { release: '2' } }));
    expect(await zones('zones')).toEqual({ 'zone-1': 10, 'zone-2': 10, 'zone-3': 10 });
    expect(new Set(await nodesOf('zones')).size).toBe(30);
  });
});

test.concurrent('drains of all nodes at once proceed pod by pod, over all role groups', async () => {
  const objects = await agent('drained', {
    deploymentMode: DEPLOYMENT,
    roleGroups: { default: { replicas: 2, nodes: UNCHANGED }, other: { replicas: 1, nodes: UNCHANGED } },
    podAnnotations: { [READY_DELAY]: '1s' },
    labels: { drained: 'true' },
  });
  await deploy(plane.kubectl, objects);
  const nodes = await nodesOf('drained');
  const { status } = find(await plane.kubectl.list('poddisruptionbudgets', 'drained'), 'PodDisruptionBudget');
  expect(status).toMatchObject({ expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  const watch = await ServiceWatch.start(plane.kubectl, 'drained', 'agent');
  const drains = await Promise.all(nodes.map(async (node) => plane.kubectl.try(['drain', node, '--ignore-daemonsets', '--timeout=60s', '--pod-selector=drained=true', '--v=6'])));
  await rolledOut(plane.kubectl, objects);
  const moments = await watch.stop();

  expect(drains.map(({ code }) => code)).toEqual([0, 0, 0]);
  const output = drains.map(({ stderr }) => stderr).join('\n');
  expect(output).toContain('429 Too Many Requests');
  expect(output).toContain('would violate the pod\'s disruption budget');
  expect(new Set(moments.map(({ ready }) => ready.length))).toEqual(new Set([2, 3]));
  expect((await nodesOf('drained')).filter((node) => nodes.includes(node))).toEqual([]);
  await plane.kubectl.run('uncordon', ...nodes);
});

/** A change of the agent, and what its clients may rely on meanwhile. */
interface Rollout {
  readonly props: Partial<PolicyAgentProps>;
  /** Least number of ready endpoints. */
  readonly ready?: number;
  /** Nodes of which each has a ready endpoint of its own. */
  readonly nodes?: string[];
}

const SMALL: Partial<PolicyAgentProps> = { deploymentMode: DAEMON_SET, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER };

describe('a rollout has the promised ready endpoints at every moment', () => {
  test.each<[string, Rollout]>([
    ['a DaemonSet', { props: { ...SMALL, roleGroups: { gpu: BY_NODES!.gpu } }, nodes: [...names(GPU_NODES), 'new-gpu'] }],
    ['a DaemonSet of two role groups, five nodes of each at a time', {
      props: {
        ...SMALL,
        rollout: { maxSurge: PercentOrAbsolute.absolute(5) },
        roleGroups: { default: { nodes: UNCHANGED }, gpu: BY_NODES!.gpu },
      },
      nodes: [...THIRTY, ...names(GPU_NODES), 'new-gpu'],
    }],
    ['a Deployment', { props: { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 5 } } }, ready: 5 }],
    ['a Deployment of two role groups', {
      props: { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 3 }, gpu: { ...BY_NODES!.gpu, replicas: 3 } } }, ready: 6,
    }],
    ['a Deployment that may miss one', {
      props: { deploymentMode: DEPLOYMENT, rollout: { maxUnavailable: PercentOrAbsolute.absolute(1) }, roleGroups: { default: { replicas: 5 } } },
      ready: 4,
    }],
  ])('%s', async (title, { props, nodes = [], ready = nodes.length }) => {
    const moments = await rollout(title, props);
    expect(moments.flatMap((moment) => without(moment.ready, nodes))).toEqual([]);
    expect(Math.min(...moments.map((moment) => moment.ready.length))).toBe(ready);
  });

  // Beyond a hundred endpoints there are several EndpointSlices, and the new pod of a node may be in another one than the
  // old pod. Between the two writes no endpoint of the node is ready, and kube-proxy goes on leading to the pod that stops.
  test('a DaemonSet on all nodes, a quarter at a time; pods that stop bridge the gap between two EndpointSlices', async () => {
    const nodes = (await plane.kubectl.list('nodes')).map(({ metadata }) => metadata.name);
    const moments = await rollout('a DaemonSet on all nodes', {
      deploymentMode: DAEMON_SET,
      rollout: { maxSurge: PercentOrAbsolute.percent(25) },
      roleGroups: { default: { tolerations: [Toleration.everyTaint()] } },
    });
    expect(nodes).toHaveLength(202);
    expect(moments.flatMap(({ ready, stopping }) => without([...ready, ...stopping], nodes))).toEqual([]);
  });

  /** Rolls an agent that takes its time to be ready and to stop, and tells every moment of it. */
  async function rollout(title: string, props: Partial<PolicyAgentProps>): Promise<Moment[]> {
    const namespace = title.toLowerCase().replace(/\W+/g, '-');
    const release = (number: string) => agentManifests(OPA, namespace, {
      ...props, podAnnotations: { [READY_DELAY]: '300ms', [DELETE_DELAY]: '1s', release: number },
    });
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    await deploy(plane.kubectl, release('1'));
    const before = (await plane.kubectl.list('pods', namespace)).map(({ metadata }) => metadata.name).sort();
    await untilEndpoints(plane.kubectl, namespace, before.length);
    const watch = await ServiceWatch.start(plane.kubectl, namespace, 'agent');
    await deploy(plane.kubectl, release('2'));
    await untilEndpoints(plane.kubectl, namespace, before.length);
    const moments = await watch.stop();

    // Every pod was replaced while the watch looked.
    const [first, last] = [moments[0], moments[moments.length - 1]].map(({ ready }) => ready.map(({ pod }) => pod).sort());
    expect(first).toEqual(before);
    expect(last.filter((pod) => before.includes(pod))).toEqual([]);
    return moments;
  }

  function without(endpoints: Endpoint[], nodes: string[]): string[] {
    const there = new Set(endpoints.map(({ node }) => node));
    return nodes.filter((node) => !there.has(node));
  }
});

test('the pod of a node that is gone goes, too', async () => {
  eligible.delete('node-4');
  await untilOn('everywhere', [...eligible]);
});
