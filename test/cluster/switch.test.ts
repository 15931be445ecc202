import { untilEndpoints } from './endpoints';
import { DeploymentMode, PolicyAgentProps } from '../../lib';
import { agentManifests, OPA } from '../nodes/agents';
import { deploy, makeNamespace } from '../nodes/cluster';
import { ControlPlane } from '../rig/control-plane';
import { addNodes, DELETE_DELAY, numberedNodes, READY_DELAY, startKwok } from '../rig/fake-nodes';
import { Moment, ServiceWatch } from '../rig/service-watch';
import { find } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const ELIGIBLE = numberedNodes(20);
const REPLICAS = 3;
/** Longer than it takes until the pods of a deleted workload are told to stop. */
const SLOW = '5s';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startKwok(plane);
  await addNodes(plane, [...ELIGIBLE, { name: 'reserved', taints: [{ key: 'example.com/reserved', effect: 'NoSchedule' }] }]);
}, 180_000);
afterAll(async () => plane?.stop(), 60_000);

/** One release of the agent. Pods take a while to be ready and to go, since at once would hide what happens meanwhile. */
function release(namespace: string, props: Partial<PolicyAgentProps>, readyDelay = '1s'): any[] {
  return agentManifests(OPA, namespace, {
    roleGroups: { default: { replicas: REPLICAS } }, podAnnotations: { [READY_DELAY]: readyDelay, [DELETE_DELAY]: '1s' }, ...props,
  });
}

/** What would have cost requests. */
function outages(moments: Moment[]): string[] {
  return moments.flatMap(({ internalTrafficPolicy, ready }) => {
    if (ready.length === 0) return ['no ready endpoint'];
    const there = new Set(ready.map(({ node }) => node));
    const without = internalTrafficPolicy === 'Local' ? ELIGIBLE.filter(({ name }) => !there.has(name)) : [];
    return without.map(({ name }) => `Local, but nothing is ready on ${name}`);
  });
}

async function untilGone(kind: string, namespace: string) {
  await plane.kubectl.run('wait', '--for=delete', 'pods', '--namespace', namespace, `--selector=cdk8s-platform-services/workload-kind=${kind}`, '--timeout=60s');
}

describe.each([
  [DAEMON_SET, DEPLOYMENT],
  [DEPLOYMENT, DAEMON_SET],
])('from %s to %s', (from, to) => {
  const title = `${from}-to-${to}`.toLowerCase();

  test.concurrent('in two releases no client is ever without an agent that it may reach', async () => {
    const namespace = `staged-${title}`;
    const [before, between, after] = [{ deploymentMode: from }, { deploymentMode: to, migrateFrom: from }, { deploymentMode: to }]
      .map((props) => release(namespace, props));
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    await deploy(plane.kubectl, before);
    await untilEndpoints(plane.kubectl, namespace, podsOf(from));

    const watch = await ServiceWatch.start(plane.kubectl, namespace, 'agent');
    await deploy(plane.kubectl, between);
    await untilEndpoints(plane.kubectl, namespace, podsOf(from) + podsOf(to));
    const pods = await plane.kubectl.list('pods', namespace);
    const budgets = await plane.kubectl.list('poddisruptionbudgets', namespace);
    await deploy(plane.kubectl, after);
    await untilGone(from, namespace);
    await untilEndpoints(plane.kubectl, namespace, podsOf(to));
    const moments = await watch.stop();

    expect(outages(moments)).toEqual([]);
    // The watch has seen both policies, both workloads at once, and at the end the new one alone.
    expect(new Set(moments.map(({ internalTrafficPolicy }) => internalTrafficPolicy))).toEqual(new Set(['Local', 'Cluster']));
    expect(Math.max(...moments.map(({ ready }) => ready.length))).toBe(podsOf(from) + podsOf(to));
    expect(moments[0].ready).toHaveLength(podsOf(from));
    expect(moments[moments.length - 1].ready).toHaveLength(podsOf(to));

    // While both stand, the budget counts the Deployment's pods only.
    expect(pods).toHaveLength(podsOf(from) + podsOf(to));
    const { spec, status } = find(budgets, 'PodDisruptionBudget');
    const counted = pods.filter(({ metadata }) => Object.entries(spec.selector.matchLabels).every(([key, value]) => metadata.labels[key] === value));
    expect(counted.map(({ metadata }) => metadata.ownerReferences[0].kind)).toEqual(Array(REPLICAS).fill('ReplicaSet'));
    expect(status).toMatchObject({ expectedPods: REPLICAS, disruptionsAllowed: 1 });

    for (const kind of ['DaemonSet', 'Deployment', 'PodDisruptionBudget']) {
      expect((await plane.kubectl.list(kind, namespace)).map(({ metadata }) => metadata.name))
        .toEqual(after.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name));
    }
  });

  test.concurrent('in one release some are, which the watch tells', async () => {
    const namespace = `direct-${title}`;
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    await deploy(plane.kubectl, release(namespace, { deploymentMode: from }, SLOW));
    const watch = await ServiceWatch.start(plane.kubectl, namespace, 'agent');
    await deploy(plane.kubectl, release(namespace, { deploymentMode: to }, SLOW));
    await untilGone(from, namespace);
    expect(outages(await watch.stop())).toContain('no ready endpoint');
  });
});

function podsOf(mode: DeploymentMode): number {
  return mode === DAEMON_SET ? ELIGIBLE.length : REPLICAS;
}
