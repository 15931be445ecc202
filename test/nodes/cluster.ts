import { Kubectl } from '../rig/kubectl';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';

export const NODES = ['n1', 'n2', 'n3'];

const CLIENTS = 'clients';

/** Makes a namespace that enforces a Pod Security level. */
export async function makeNamespace(kubectl: Kubectl, name: string, level: string) {
  await kubectl.apply([{
    apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': level } },
  }]);
  await kubectl.run('wait', '--for=create', 'serviceaccount/default', '--namespace', name, '--timeout=30s');
}

/** Removes a namespace without waiting until it is gone. */
export async function dropNamespace(kubectl: Kubectl, name: string) {
  await kubectl.run('delete', 'namespace', name, '--wait=false', '--ignore-not-found');
}

/** Deploys all that a namespace holds of an agent, waits until its workloads are rolled out, and removes what is no longer among it. */
export async function deploy(kubectl: Kubectl, objects: any[], seconds = 90) {
  const { namespace } = objects[0].metadata;
  await kubectl.apply(objects, '--prune', '--applyset=agent', '--namespace', namespace);
  await rolledOut(kubectl, objects, seconds);
}

export async function rolledOut(kubectl: Kubectl, objects: any[], seconds = 90) {
  for (const { kind, metadata: { name, namespace } } of objects) {
    if (!['DaemonSet', 'Deployment', 'StatefulSet'].includes(kind)) continue;
    const { code, stdout, stderr } = await kubectl.try(['rollout', 'status', `${kind}/${name}`, '--namespace', namespace, `--timeout=${seconds}s`]);
    if (code !== 0) throw new Error(`${kind}/${name} is not rolled out: ${stdout}${stderr}\n${await explain(kubectl, namespace)}`);
  }
}

/** Waits until no pod of an agent is being stopped. */
export async function settled(kubectl: Kubectl, namespace: string) {
  // A workload may be rolled out a moment before its last old pod is told to stop.
  await sleep(1000);
  await eventually('nothing is being stopped', async () => (await agentPods(kubectl, namespace)).every(({ metadata }) => !metadata.deletionTimestamp), 120, 1000);
}

/** The pods of the agents of a namespace. */
export async function agentPods(kubectl: Kubectl, namespace: string): Promise<any[]> {
  return kubectl.list('pods', namespace, 'app.kubernetes.io/component=server');
}

export async function sleep(milliseconds: number) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}

/** What a failed rollout looks like from outside. */
export async function explain(kubectl: Kubectl, namespace: string): Promise<string> {
  const pods = await kubectl.run('get', 'pods', '--namespace', namespace, '--output=wide');
  const events = await kubectl.run('get', 'events', '--namespace', namespace, '--field-selector=type=Warning', '--sort-by=.lastTimestamp');
  return `${pods}\n${events.split('\n').slice(-15).join('\n')}`;
}

/** A pod on each node that can ask, by whatever way: it waits, and `askFrom` runs the question in it. */
export async function startClients({ kubectl }: NodeCluster) {
  await makeNamespace(kubectl, CLIENTS, 'privileged');
  const sockets = ['opa', 'cerbos'];
  const pods = NODES.map((node) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `client-${node}`, namespace: CLIENTS },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsUser: 3000, runAsGroup: 3000, supplementalGroups: [2000] },
      containers: [{
        name: 'client',
        image: 'localhost/testkit:1',
        imagePullPolicy: 'Never',
        args: ['pause'],
        volumeMounts: sockets.map((name) => ({ name, mountPath: `/run/${name}`, readOnly: true })),
      }],
      volumes: sockets.map((name) => ({ name, hostPath: { path: `/run/${name}`, type: 'DirectoryOrCreate' } })),
    },
  }));
  await kubectl.apply(pods);
  await kubectl.run('wait', '--for=condition=Ready', `--namespace=${CLIENTS}`, '--timeout=60s', ...pods.map(({ metadata }) => `pod/${metadata.name}`));
}

/** One line that `testkit ask` prints. */
export interface Answer {
  /** Which of several clients of a pod asked. */
  readonly client?: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly at: number;
  /** How long the answer took, in milliseconds. */
  readonly took: number;
  readonly good: boolean;
  readonly text: string;
}

/** Asks from a node's client, so many times. */
export async function askFrom({ kubectl }: NodeCluster, node: string, args: string[], count = 1): Promise<Answer[]> {
  const command = ['exec', `client-${node}`, `--namespace=${CLIENTS}`, '--', '/testkit', 'ask', `--count=${count}`, '--every=1ms', ...args];
  const { stdout, stderr } = await kubectl.try(command);
  const answers = parseAnswers(stdout);
  if (answers.length !== count) throw new Error(`expected ${count} answers, got ${answers.length}: ${stderr}`);
  return answers;
}

export function parseAnswers(output: string): Answer[] {
  return output.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}
