import { Kubectl } from '../rig/kubectl';
import { NodeCluster } from '../rig/node-cluster';

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

/** Applies manifests and waits until their workloads are rolled out. */
export async function rollOut(kubectl: Kubectl, objects: any[], seconds = 90) {
  await kubectl.apply(objects);
  await rolledOut(kubectl, objects, seconds);
}

export async function rolledOut(kubectl: Kubectl, objects: any[], seconds = 90) {
  for (const { kind, metadata: { name, namespace } } of objects) {
    if (!['DaemonSet', 'Deployment'].includes(kind)) continue;
    const { code, stdout, stderr } = await kubectl.try(['rollout', 'status', `${kind}/${name}`, '--namespace', namespace, `--timeout=${seconds}s`]);
    if (code !== 0) throw new Error(`${kind}/${name} is not rolled out: ${stdout}${stderr}\n${await explain(kubectl, namespace)}`);
  }
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
