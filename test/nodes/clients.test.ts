import { ApiObject, App, Chart } from 'cdk8s';
import { CERBOS, ENGINES, OPA, TestEngine } from './agents';
import { dropNamespace, explain, makeNamespace, parseAnswers, rolledOut, sleep } from './cluster';
import { Acknowledgement, AgentAccess, DeploymentMode, NodeRequirement, PolicyAgent, PolicyAgentProps, PolicyClientOptions } from '../../lib';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';
import { synthesise } from '../support/synth';

const { DAEMON_SET, DEPLOYMENT, SIDECAR } = DeploymentMode;

let cluster: NodeCluster;
beforeAll(async () => {
  cluster = await NodeCluster.start();
}, 180_000);
afterAll(async () => cluster?.stop(), 60_000);

type Way = 'network' | 'socket';

/** Every way by which a client is bound; the Pod Security level that it needs. */
const CASES: [string, Partial<PolicyAgentProps>, string, Way][] = [
  ['the Service of a Deployment', { deploymentMode: DEPLOYMENT }, 'restricted', 'network'],
  ['the Local Service of a DaemonSet', { deploymentMode: DAEMON_SET }, 'restricted', 'network'],
  ['the address of its node', { deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()] }, 'privileged', 'network'],
  ['a socket of its node', { deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] }, 'privileged', 'socket'],
  ['loopback, with the agent in its own pod', { deploymentMode: SIDECAR }, 'restricted', 'network'],
  ['a socket, with the agent in its own pod', { deploymentMode: SIDECAR, access: [AgentAccess.unixSocket()] }, 'restricted', 'socket'],
];

/** What the client is told, and nothing else: the kubelet puts the variables in. */
const ASK: Record<string, Record<Way, string[]>> = {
  OPA: { network: ['--url=$(OPA_URL)/v1/data/authz/verdict'], socket: ['--unix=$(OPA_SOCKET)', '--url=http://agent/v1/data/authz/verdict'] },
  Cerbos: { network: ['--url=$(CERBOS_HTTP)/api/check/resources'], socket: ['--grpc=$(CERBOS_GRPC)'] },
};

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, runAsUser: 3000, seccompProfile: { type: 'RuntimeDefault' } };

function container(name: string, args: string[]): any {
  return { name, image: 'localhost/testkit:1', imagePullPolicy: 'Never', args, securityContext: RESTRICTED };
}

/** Asks for an allow and a deny; ends well only if both answers are right, each time. */
function askingContainers({ name, body, allowed, denied }: TestEngine, way: Way): any[] {
  const ask = (user: string, expected: string) => ['ask', ...ASK[name][way], `--body=${body(user)}`, `--expect=${expected}`, '--count=5'];
  return [container('allow', ask('alice', allowed)), container('deny', ask('mallory', denied))];
}

/** The objects of an agent and of its client. */
function manifests(engine: TestEngine, namespace: string, props: Partial<PolicyAgentProps>, client: any, options?: PolicyClientOptions): any[] {
  const chart = new Chart(new App(), 'test', { namespace });
  const agent = new PolicyAgent(chart, 'Agent', { engine: engine.engine(), ...props });
  agent.addClient(new ApiObject(chart, 'Client', client), options);
  return synthesise(chart);
}

const job = (containers: any[]) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'client' },
  // Each try to reach the agent counts.
  spec: { backoffLimit: 6, template: { spec: { restartPolicy: 'OnFailure', containers } } },
});

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('a Job that asks the real %s', (name, engine) => {
  test.concurrent.each(CASES)('by %s gets an allow and a deny by what was injected, though both come together, and completes', async (title, props, level, way) => {
    const namespace = `bound-${CASES.findIndex(([other]) => other === title)}-${name.toLowerCase()}`;
    const { kubectl } = cluster;
    await makeNamespace(kubectl, namespace, level);
    const options = props.deploymentMode === SIDECAR ? {} : { waitForAgent: true };
    await kubectl.apply(manifests(engine, namespace, props, job(askingContainers(engine, way)), options));
    const { code, stderr } = await kubectl.try(['wait', '--for=condition=Complete', 'job/client', '--namespace', namespace, '--timeout=150s']);
    if (code !== 0) throw new Error(`${stderr}\n${await explain(kubectl, namespace)}\n${await logs(namespace)}`);
    const [pod] = await kubectl.list('pods', namespace, 'batch.kubernetes.io/job-name=client');
    expect(pod.status.containerStatuses.map((status: any) => [status.name, status.restartCount, status.state.terminated.exitCode])).toEqual([['allow', 0, 0], ['deny', 0, 0]]);
    await dropNamespace(kubectl, namespace);
  }, 240_000);
});

async function logs(namespace: string): Promise<string> {
  return (await cluster.kubectl.try(['logs', 'job/client', '--namespace', namespace, '--all-containers', '--tail=5'])).stdout;
}

test.concurrent('one try to reach Cerbos is all that a pod has that is never restarted, which is why it is refused', async () => {
  const namespace = 'one-try';
  const { kubectl } = cluster;
  await makeNamespace(kubectl, namespace, 'restricted');
  const pod = (restartPolicy: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'client' }, spec: { restartPolicy, containers: [container('client', ['pause'])] } });
  const props = { deploymentMode: DEPLOYMENT };
  expect(() => manifests(CERBOS, namespace, props, pod('Never'), { waitForAgent: true })).toThrow('restartPolicy Never lets the pod fail by it');
  // The same, but for the policy, while there is no agent.
  const allowed = manifests(CERBOS, namespace, props, pod('OnFailure'), { waitForAgent: true }).filter(({ kind, metadata }) => kind === 'Pod' || metadata.name === 'agent-wait');
  await kubectl.apply(allowed.map((object) => object.kind === 'Pod' ? { ...object, spec: { ...object.spec, restartPolicy: 'Never' } } : object));
  await eventually('it has failed', async () => (await kubectl.get('pod', 'client', namespace)).status.phase === 'Failed', 60, 500);
  await dropNamespace(kubectl, namespace);
}, 120_000);

/** How a shell asks once more when it is told to stop. */
const LAST_REQUEST: Record<string, string> = {
  OPA: `wget -q -O - --post-data='${OPA.body('alice')}' "$OPA_URL/v1/data/authz/verdict"`,
  Cerbos: `wget -q -O - --header='Content-Type: application/json' --post-data='${CERBOS.body('alice')}' "$CERBOS_HTTP/api/check/resources"`,
};

test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s in its client\'s pod answers its last request at shutdown', async (name, engine) => {
  const namespace = `last-${name.toLowerCase()}`;
  const { kubectl } = cluster;
  await makeNamespace(kubectl, namespace, 'restricted');
  const script = `trap 'sleep 3; ${LAST_REQUEST[name].replaceAll('\'', '\'\\\'\'')}; echo; echo ended; exit 0' TERM; echo started; while :; do sleep 1; done`;
  const shell = { ...container('client', []), image: 'busybox:1.37', command: ['/bin/sh', '-c', script] };
  const client = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'client' }, spec: { containers: [shell], terminationGracePeriodSeconds: 20 } };
  await kubectl.apply(manifests(engine, namespace, { deploymentMode: SIDECAR }, client));
  const ready = await kubectl.try(['wait', '--for=condition=Ready', 'pod/client', '--namespace', namespace, '--timeout=90s']);
  if (ready.code !== 0) throw new Error(`${ready.stderr}\n${await explain(kubectl, namespace)}`);
  const following = kubectl.try(['logs', 'client', '--namespace', namespace, '--container=client', '--follow']);
  await sleep(1000);
  const started = Date.now();
  await kubectl.run('delete', 'pod', 'client', '--namespace', namespace);
  // Well before the kubelet would kill it.
  expect(Date.now() - started).toBeLessThan(18_000);
  const { stdout } = await following;
  expect(stdout).toContain(engine.allowed);
  expect(stdout.trim().endsWith('ended')).toBe(true);
  await dropNamespace(kubectl, namespace);
}, 180_000);

test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s and a client that waits for it come to a new node together, and no request is lost', async (name, engine) => {
  const namespace = `new-${name.toLowerCase()}`;
  const label = `joined-${name.toLowerCase()}`;
  const { kubectl } = cluster;
  await makeNamespace(kubectl, namespace, 'restricted');
  const client = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'client' },
    spec: {
      selector: { matchLabels: { app: 'client' } },
      template: {
        metadata: { labels: { app: 'client' } },
        spec: {
          nodeSelector: { [label]: 'true' },
          containers: [container('client', ['ask', ...ASK[name].network, `--body=${engine.body('alice')}`, `--expect=${engine.allowed}`])],
        },
      },
    },
  };
  const props = {
    deploymentMode: DAEMON_SET,
    roleGroups: { default: { nodes: [NodeRequirement.in(label, ['true'])] } },
    acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE],
  };
  const objects = manifests(engine, namespace, props, client, { waitForAgent: true });
  await kubectl.apply(objects);
  // To both, it is a new node.
  await kubectl.run('label', 'node', 'n3', `${label}=true`);
  await eventually('both are there', async () => (await kubectl.list('pods', namespace)).length === 2, 60, 500);
  await rolledOut(kubectl, objects, 150);
  await sleep(5000);
  const answers = parseAnswers(await kubectl.run('logs', 'daemonset/client', '--namespace', namespace, '--container=client'));
  expect(answers.length).toBeGreaterThan(50);
  expect(answers.filter(({ good }) => !good)).toEqual([]);
  await dropNamespace(kubectl, namespace);
}, 240_000);
