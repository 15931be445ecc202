import { agentManifests, ENGINES, TestEngine, Way } from './agents';
import { askFrom, deploy, dropNamespace, makeNamespace, NODES } from './cluster';
import {
  AgentAccess, DeploymentMode, InternalTrafficPolicy, PolicyAgentProps, SocketDirectory, TrafficDistribution,
} from '../../lib';
import { nodeAddress } from '../rig/network';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const near = { trafficDistribution: TrafficDistribution.PREFER_SAME_NODE };

/** Where a client of a node gets its answers from. */
type Promised = 'its own node' | 'any node';

/** Every way of access that a mode allows: the Pod Security level that the docs state, the way, and what it promises. */
const CASES: [string, Partial<PolicyAgentProps>, string, Way, Promised][] = [
  ['DaemonSet by its Service', { deploymentMode: DAEMON_SET }, 'restricted', 'service', 'its own node'],
  [
    'DaemonSet by its Service, spread', { deploymentMode: DAEMON_SET, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER },
    'restricted', 'service', 'any node',
  ],
  [
    'DaemonSet by its Service, near ones preferred', { deploymentMode: DAEMON_SET, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER, ...near },
    'restricted', 'service', 'its own node',
  ],
  ['DaemonSet by hostPort', { deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()] }, 'privileged', 'hostPort', 'its own node'],
  [
    'DaemonSet by a socket in a directory that the kubelet makes', { deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] },
    'privileged', 'socket', 'its own node',
  ],
  [
    'DaemonSet by a socket for a group, in a directory that an init container gives away',
    {
      deploymentMode: DAEMON_SET,
      access: [AgentAccess.service(), AgentAccess.unixSocket({ directory: SocketDirectory.chownedBy('busybox:1.37'), group: 2000 })],
      internalTrafficPolicy: InternalTrafficPolicy.CLUSTER,
    },
    'privileged', 'socket', 'its own node',
  ],
  ['Deployment by its Service', { deploymentMode: DEPLOYMENT }, 'restricted', 'service', 'any node'],
  ['Deployment by its Service, near ones preferred', { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 3 } }, ...near }, 'restricted', 'service', 'its own node'],
];

/** Every way of access answers as its mode promises. */
export function access(cluster: () => NodeCluster) {
  describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', (_, engine) => {
    test.concurrent.each(CASES)('%s', async (title, props, level, way, promise) => {
      const namespace = `case-${CASES.findIndex(([other]) => other === title)}-${engine.name.toLowerCase()}`;
      await makeNamespace(cluster().kubectl, namespace, level);
      await deploy(cluster().kubectl, agentManifests(engine, namespace, props));
      // Pods are ready before every kube-proxy knows of them.
      await eventually(`answers from ${promise}`, async () => {
        const answered = await Promise.all(NODES.map(async (node) => [node, await ask(engine, way, namespace, node)] as const));
        if (promise === 'its own node') return answered.every(([node, by]) => by.length === 1 && by[0] === node);
        return new Set(answered.flatMap(([, by]) => by)).size > 1;
      });
      await dropNamespace(cluster().kubectl, namespace);
    });
  });

  /** Asks for an allow and a deny from a node; returns the nodes that answered. */
  async function ask(engine: TestEngine, way: Way, namespace: string, node: string): Promise<string[]> {
    const host = way === 'hostPort' ? nodeAddress(NODES.indexOf(node) + 1) : `agent.${namespace}.svc`;
    const args = engine.ask(way, { host, namespace });
    const [denied] = await askFrom(cluster(), node, [...args, `--body=${engine.body('mallory')}`, `--expect=${engine.denied}`]);
    expect(denied).toMatchObject({ good: true });
    const allowed = await askFrom(cluster(), node, [...args, `--body=${engine.body('alice')}`, `--expect=${engine.allowed}`], 20);
    expect(allowed.filter(({ good }) => !good)).toEqual([]);
    return [...new Set(allowed.map(({ text }) => engine.nodeOf(text)!))];
  }
}
