import { FrozenAgent, frozenAgents } from './frozen-releases';
import { parseManifests, synthesiseRepresentative } from './representative-agents';
import { AgentAccess, AgentTls, DeploymentMode, InternalTrafficPolicy, NodeRequirement, PolicyAgentProps, RoleGroup } from '../../lib';
import { agentManifests, CERBOS, ENGINES, OPA, TestEngine } from '../nodes/agents';
import { dropNamespace, makeNamespace, rolledOut } from '../nodes/cluster';
import { ControlPlane } from '../rig/control-plane';
import { addNodes, numberedNodes, startKwok } from '../rig/fake-nodes';
import { toYaml } from '../rig/kubectl';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startKwok(plane);
  await addNodes(plane, [...numberedNodes(3), { name: 'gpu', labels: { 'example.com/gpu': 'true' } }]);
}, 120_000);
afterAll(async () => plane?.stop(), 60_000);

/** The two ways in which kubectl and all that is built on it apply objects. */
const SIDES: [string, string[]][] = [['client', []], ['server', ['--server-side', '--validate=strict']]];

/** Applies a set of objects and removes what was in it before. */
async function apply(objects: any[], namespace: string, args: string[]) {
  const all = ['apply', '--filename=-', '--prune', '--applyset=release', '--namespace', namespace, ...args];
  return plane.kubectl.try(all, toYaml(objects));
}

async function succeed(objects: any[], namespace: string, args: string[]) {
  const { code, stderr } = await apply(objects, namespace, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

describe.each(SIDES)('applied on the %s\'s side', (side, args) => {
  test.concurrent.each(perRelease())('today\'s library over release %s meets no field that cannot change', async (release, agents) => {
    const namespace = `release-${release.replaceAll('.', '-')}-${side}`;
    await makeNamespace(plane.kubectl, namespace, 'privileged');
    const into = (yaml: string) => parseManifests(yaml).map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
    await succeed(agents.flatMap(({ yaml }) => into(yaml)), namespace, args);
    const today = agents.flatMap(({ agent }) => into(synthesiseRepresentative(agent)));
    await succeed(today, namespace, args);
    await rolledOut(plane.kubectl, today);
    // Others want the ports of the nodes, too.
    await dropNamespace(plane.kubectl, namespace);
  });

  test.concurrent.each([DAEMON_SET, DEPLOYMENT])('role groups of a %s are added, renamed and removed', async (deploymentMode) => {
    const namespace = `groups-${deploymentMode}-${side}`.toLowerCase();
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    for (const roleGroups of ROLE_GROUPS) {
      const objects = agentManifests(OPA, namespace, { deploymentMode, roleGroups, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER });
      await succeed(objects, namespace, args);
      await rolledOut(plane.kubectl, objects);
      await onlyPodsOf(namespace, Object.keys(roleGroups));
    }
  });

  test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('every other prop of %s changes in place', async (name, engine) => {
    const namespace = `props-${name}-${side}`.toLowerCase();
    await makeNamespace(plane.kubectl, namespace, 'privileged');
    for (const props of [...CHANGES, CHANGES[0]]) await succeed(agentManifests(engine, namespace, props), namespace, args);
  });
});

/** One after the other on a live cluster. */
const ROLE_GROUPS: Record<string, RoleGroup>[] = [
  { default: { nodes: [NodeRequirement.doesNotExist('example.com/gpu')] } },
  { default: { nodes: [NodeRequirement.doesNotExist('example.com/gpu')] }, gpu: { nodes: [NodeRequirement.exists('example.com/gpu')] } },
  { default: { nodes: [NodeRequirement.doesNotExist('example.com/gpu')] }, accelerated: { nodes: [NodeRequirement.exists('example.com/gpu')] } },
  { default: {} },
  { everywhere: {} },
];

/** From each of them to the next one, and from the last one to the first one. */
const CHANGES: Partial<PolicyAgentProps>[] = [
  { deploymentMode: DAEMON_SET },
  { deploymentMode: DAEMON_SET, labels: { team: 'a' }, podAnnotations: { a: 'b' }, annotations: { c: 'd' }, serviceAccountName: 'default', runAsUser: 1234 },
  { deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()] },
  { deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] },
  { deploymentMode: DEPLOYMENT, headlessService: true, networkPolicy: { clients: [] } },
  { deploymentMode: DEPLOYMENT, tls: AgentTls.fromSecret('tls'), topologySpread: [{ topologyKey: 'topology.kubernetes.io/zone' }], roleGroups: { default: { autoscaling: { maxReplicas: 3 } } } },
  { deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET },
  { deploymentMode: DAEMON_SET, migrateFrom: DEPLOYMENT },
];

async function onlyPodsOf(namespace: string, roleGroups: string[]) {
  await plane.until(`only pods of ${roleGroups.join(' and ')}`, async () => {
    const pods = await plane.kubectl.list('pods', namespace);
    const found = new Set(pods.map(({ metadata }) => metadata.labels['app.kubernetes.io/role-group']));
    return found.size === roleGroups.length && roleGroups.every((group) => found.has(group));
  });
}

function perRelease(): [string, FrozenAgent[]][] {
  const all = frozenAgents();
  return [...new Set(all.map(({ release }) => release))].map((name) => [name, all.filter(({ release }) => release === name)]);
}

test('an agent of another engine needs a name of its own: the selector of a workload cannot change', async () => {
  await makeNamespace(plane.kubectl, 'engines', 'restricted');
  const as = (engine: TestEngine) => agentManifests(engine, 'engines', { deploymentMode: DEPLOYMENT });
  await succeed(as(OPA), 'engines', []);
  const { code, stderr } = await apply(as(CERBOS), 'engines', []);
  expect(code).not.toBe(0);
  expect(stderr).toContain('field is immutable');
});
