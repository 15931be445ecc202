import { execFile } from 'child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'fs';
import { join } from 'path';
import { promisify } from 'util';
import { AgentAccess, DeploymentMode, NodeRequirement, OpaEngine, PolicyAgentProps, PolicyFiles } from '../../lib';
import { agentManifests, OPA } from '../nodes/agents';
import { makeNamespace, rolledOut } from '../nodes/cluster';
import { ControlPlane } from '../rig/control-plane';
import { BIN, requireTools } from '../rig/daemon';
import { addNodes, numberedNodes, startKwok } from '../rig/fake-nodes';
import { toYaml } from '../rig/kubectl';
import { find } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

/** Braces that Helm would take for its own. */
const REGO = 'package authz\n\ndefault allow := false\n\ngreeting := "{{ .Values.user }}"\n';

let plane: ControlPlane;
beforeAll(async () => {
  requireTools(['helm']);
  plane = await ControlPlane.start();
  await startKwok(plane);
  await addNodes(plane, numberedNodes(3));
}, 120_000);
afterAll(async () => plane?.stop(), 60_000);

/** An agent that emits all that may be left behind. */
function release(namespace: string, props: Partial<PolicyAgentProps>): any[] {
  return agentManifests(OPA, namespace, {
    engine: new OpaEngine({ policies: [PolicyFiles.inline({ 'authz.rego': REGO })], decisions: ['authz/allow'] }),
    ...props,
  });
}

const gpu = { nodes: [NodeRequirement.exists('example.com/gpu')] };
const AS_DAEMON_SET: Partial<PolicyAgentProps> = { deploymentMode: DAEMON_SET };
const AS_DEPLOYMENT: Partial<PolicyAgentProps> = {
  deploymentMode: DEPLOYMENT,
  headlessService: true,
  networkPolicy: { clients: [] },
  roleGroups: { default: { autoscaling: { maxReplicas: 4 } }, gpu: { ...gpu, replicas: 0 } },
};

type Deploy = (namespace: string, objects: any[]) => Promise<unknown>;

const byApplySet = (...args: string[]): Deploy => async (namespace, objects) => apply(objects, ['--prune', '--applyset=release', '--namespace', namespace, ...args]);

const byLabel = (...args: string[]): Deploy => async (namespace, objects) => apply(objects, [
  '--prune', '--selector=app.kubernetes.io/instance=agent', '--namespace', namespace, ...args,
]);

/** All that the agent may emit. Without such a list kubectl prunes a few kinds only. */
const PRUNED = [
  'core/v1/ConfigMap', 'core/v1/ResourceQuota', 'core/v1/Service', 'apps/v1/DaemonSet', 'apps/v1/Deployment', 'autoscaling/v2/HorizontalPodAutoscaler',
  'networking.k8s.io/v1/NetworkPolicy', 'policy/v1/PodDisruptionBudget',
].map((kind) => `--prune-allowlist=${kind}`);

const TOOLS: [string, Deploy][] = [
  ['kubectl, by apply set', byApplySet()],
  ['kubectl, by apply set on the server\'s side', byApplySet('--server-side')],
  ['kubectl, by label', byLabel(...PRUNED)],
  ['Helm', helmUpgrade],
];

async function apply(objects: any[], args: string[]): Promise<string> {
  const { code, stdout, stderr } = await plane.kubectl.try(['apply', '--filename=-', ...args], toYaml(objects));
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** A chart of manifests that are no templates: their braces are left alone. */
function chartOf(objects: any[]): string {
  const chart = mkdtempSync(join(plane.directory, 'chart-'));
  for (const folder of ['manifests', 'templates']) mkdirSync(join(chart, folder));
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: authz\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'manifests', 'authz.k8s.yaml'), toYaml(objects));
  writeFileSync(join(chart, 'templates', 'manifests.yaml'), '{{ range $path, $_ := .Files.Glob "manifests/*.yaml" }}\n---\n{{ $.Files.Get $path }}\n{{ end }}\n');
  return chart;
}

async function helm(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(BIN, 'helm'), [...args, `--kubeconfig=${plane.adminKubeconfig}`]);
  return stdout;
}

async function helmUpgrade(namespace: string, objects: any[]) {
  return helm('upgrade', '--install', 'agent', chartOf(objects), '--namespace', namespace);
}

const nameOf = ({ kind, metadata }: any) => `${kind}/${metadata.name}`;

/** What stands in a namespace, but for what the cluster, its controllers and the tool itself make. */
async function present(namespace: string): Promise<string[]> {
  const kinds = (await plane.kubectl.run('api-resources', '--namespaced', '--verbs=list', '--output=name')).split('\n')
    .filter((kind) => kind && !/^(events|endpoints|leases|bindings)\b/.test(kind));
  const objects = await plane.kubectl.list(kinds.join(','), namespace);
  const own = objects.filter(({ kind, metadata }) => !metadata.ownerReferences && kind !== 'Secret');
  return own.map(nameOf).filter((name) => !['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default'].includes(name)).sort();
}

describe.each(TOOLS)('with %s', (tool, deploy) => {
  test.concurrent.each([
    [DAEMON_SET, DEPLOYMENT, AS_DAEMON_SET, AS_DEPLOYMENT],
    [DEPLOYMENT, DAEMON_SET, AS_DEPLOYMENT, AS_DAEMON_SET],
  ])('a switch from %s to %s leaves nothing behind', async (gone, _, from, to) => {
    const namespace = `${tool}-${gone}`.toLowerCase().replace(/\W+/g, '-');
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    const [before, after] = [from, to].map((props) => release(namespace, props));
    await deploy(namespace, before);
    await rolledOut(plane.kubectl, before);
    expect(await present(namespace)).toEqual(before.map(nameOf).sort());
    await deploy(namespace, after);
    await rolledOut(plane.kubectl, after);
    expect(await present(namespace)).toEqual(after.map(nameOf).sort());
    await plane.until(`no pod of the ${gone} is left`, async () => (
      (await plane.kubectl.list('pods', namespace, `cdk8s-platform-services/workload-kind=${gone}`)).length === 0
    ));
    expect((await plane.kubectl.get('configmap', 'agent-policies', namespace)).data).toEqual({ 'authz.rego': REGO });
  });
});

test('the apply set is kubectl\'s own: the library marks no object as a member', () => {
  for (const props of [AS_DAEMON_SET, AS_DEPLOYMENT]) {
    for (const { metadata } of release('authz', props)) {
      expect(Object.keys({ ...metadata.labels, ...metadata.annotations }).filter((key) => key.startsWith('applyset'))).toEqual([]);
    }
  }
});

describe('what the docs warn of', () => {
  async function switched(namespace: string, deploy: Deploy): Promise<string[]> {
    await makeNamespace(plane.kubectl, namespace, 'restricted');
    const [before, after] = [AS_DEPLOYMENT, AS_DAEMON_SET].map((props) => release(namespace, props));
    await deploy(namespace, before);
    await deploy(namespace, after);
    const wanted = new Set(after.map(nameOf));
    return (await present(namespace)).filter((name) => !wanted.has(name));
  }

  test.concurrent('by label and without a list of kinds, kubectl prunes no budget, autoscaler or network policy', async () => {
    expect(await switched('no-list', byLabel())).toEqual([
      'HorizontalPodAutoscaler/agent-default', 'NetworkPolicy/agent', 'PodDisruptionBudget/agent',
    ]);
  });

  test.concurrent('by label and on the server\'s side, kubectl does not prune', async () => {
    await expect(switched('server-side', byLabel('--server-side', ...PRUNED))).rejects.toThrow('--prune is in alpha and doesn\'t currently work on objects created by server-side apply');
  });

  test('as templates of a chart, manifests lose their braces', async () => {
    const chart = chartOf([]);
    writeFileSync(join(chart, 'templates', 'authz.k8s.yaml'), toYaml(release('authz', { ...AS_DAEMON_SET, access: [AgentAccess.service()] })));
    const rendered = await helm('template', chart);
    expect(rendered).toContain('package authz');
    expect(rendered).not.toContain('{{ .Values.user }}');
  });
});

test('an apply set has a parent that kubectl made', async () => {
  await makeNamespace(plane.kubectl, 'parent', 'restricted');
  await byApplySet()('parent', release('parent', AS_DEPLOYMENT));
  const secret = find(await plane.kubectl.list('secrets', 'parent'), 'Secret', 'release');
  expect(secret.metadata.annotations['applyset.kubernetes.io/contains-group-kinds'].split(',')).toEqual(expect.arrayContaining(['Deployment.apps', 'PodDisruptionBudget.policy']));
});
