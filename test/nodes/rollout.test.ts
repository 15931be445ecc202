import { Duration } from 'cdk8s';
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { agentManifests, ENGINES, TestEngine, Way } from './agents';
import { dropNamespace, makeNamespace, NODES, rollOut } from './cluster';
import { NodeReport, table, Traffic } from './traffic';
import { AgentAccess, DeploymentMode, PolicyAgentProps } from '../../lib';
import { nodeAddress } from '../rig/network';
import { NodeCluster } from '../rig/node-cluster';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

/** Requests of each client while the agent rolls, at least. */
const REQUESTS = 1000;

/** What decides over lost requests in the manifests of upstream operators and charts. */
const PEERS: Record<string, { readonly title: string; readonly props: Partial<PolicyAgentProps> }> = {
  // opa-operator: surges, but stops answering at once, and asks for readiness every 10 seconds.
  OPA: {
    title: 'OPA as opa-operator does',
    props: {
      shutdownWait: Duration.seconds(0),
      podOverrides: { spec: { containers: [{ name: 'opa', readinessProbe: { initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 5 } }] } },
    },
  },
  // The Cerbos chart: the default rollout, no hook before the stop, default probes.
  Cerbos: {
    title: 'Cerbos as its chart does',
    props: {
      shutdownWait: Duration.seconds(0),
      rollout: { maxUnavailable: PercentOrAbsolute.absolute(1) },
      podOverrides: { spec: { containers: [{ name: 'cerbos', startupProbe: null, readinessProbe: { periodSeconds: 10 } }] } },
    },
  },
};

let cluster: NodeCluster;
const rows: [string, NodeReport[]][] = [];
beforeAll(async () => {
  cluster = await NodeCluster.start();
}, 180_000);
afterAll(async () => {
  if (rows.length > 0) process.stderr.write(`\nRollouts under traffic from nodes ${NODES.join('/')}:\n${table(rows)}\n`);
  await cluster?.stop();
}, 60_000);

/** Rolls an agent under traffic. */
async function roll(title: string, engine: TestEngine, objects: any[], namespace: string, way: Way): Promise<NodeReport[]> {
  const { kubectl } = cluster;
  await makeNamespace(kubectl, namespace, 'privileged');
  await rollOut(kubectl, objects);
  const traffic = await Traffic.start(kubectl, {
    namespace,
    ask: (node) => [
      ...engine.ask(way, { host: way === 'hostPort' ? nodeAddress(NODES.indexOf(node) + 1) : `agent.${namespace}.svc`, namespace }),
      `--body=${engine.body('alice')}`, `--expect=${engine.allowed}`,
    ],
    ...(way === 'socket' && { socketDirectory: `/run/${engine.name.toLowerCase()}/${namespace}/agent` }),
  });
  const since = Date.now();
  const { kind, metadata } = objects.find((object) => ['DaemonSet', 'Deployment'].includes(object.kind));
  await kubectl.run('rollout', 'restart', `${kind}/${metadata.name}`, '--namespace', namespace);
  await kubectl.run('rollout', 'status', `${kind}/${metadata.name}`, '--namespace', namespace, '--timeout=120s');
  // Old pods go on for a while, and each client is to send enough.
  await new Promise((resolve) => setTimeout(resolve, 8000));
  await traffic.until(REQUESTS + 100);
  const reports = await traffic.stop(since);
  rows.push([title, reports]);
  await dropNamespace(kubectl, namespace);
  return reports;
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('a rollout of %s', (name, engine) => {
  test.concurrent.each<[string, Partial<PolicyAgentProps>]>([
    ['DaemonSet', { deploymentMode: DAEMON_SET }],
    ['Deployment', { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 3 } } }],
  ])('as a %s by its Service loses no request', async (kind, props) => {
    const namespace = `${name}-${kind}`.toLowerCase();
    const reports = await roll(`${name} ${kind}, Service`, engine, agentManifests(engine, namespace, props), namespace, 'service');
    expect(reports.map(({ node, failed, errors }) => ({ node, failed, errors }))).toEqual(NODES.map((node) => ({ node, failed: 0, errors: [] })));
    for (const { requests } of reports) expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  });

  test.concurrent.each<[Way, AgentAccess]>([
    ['hostPort', AgentAccess.hostPort()],
    ['socket', AgentAccess.unixSocket()],
  ])('by %s has a gap on each node, which the docs tell', async (way, access) => {
    const namespace = `${name}-${way}`.toLowerCase();
    const objects = agentManifests(engine, namespace, { deploymentMode: DAEMON_SET, access: [access] });
    const reports = await roll(`${name} DaemonSet, ${way}`, engine, objects, namespace, way);
    for (const { longestGap } of reports) expect(longestGap).toBeLessThan(20_000);
  });

  test.concurrent('with the settings that others use today loses some', async () => {
    const namespace = `${name}-peer`.toLowerCase();
    const objects = agentManifests(engine, namespace, { deploymentMode: DAEMON_SET, ...PEERS[name].props });
    const reports = await roll(`${PEERS[name].title}, for comparison`, engine, objects, namespace, 'service');
    expect(reports.reduce((sum, { failed }) => sum + failed, 0)).toBeGreaterThan(0);
  });
});
