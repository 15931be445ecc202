import { Duration } from 'cdk8s';
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { agentManifests, ENGINES, TestEngine, Way } from './agents';
import { rolledOut } from './cluster';
import { NodeReport } from './traffic';
import { expectNoLoss, UnderTraffic } from './under-traffic';
import { AgentAccess, DeploymentMode, PolicyAgentProps } from '../../lib';
import { NodeCluster } from '../rig/node-cluster';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

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
let underTraffic: UnderTraffic;
beforeAll(async () => {
  cluster = await NodeCluster.start();
  underTraffic = new UnderTraffic(cluster);
}, 180_000);
afterAll(async () => {
  underTraffic?.print('Rollouts under traffic');
  await cluster?.stop();
}, 60_000);

/** Rolls an agent under traffic. */
async function roll(title: string, engine: TestEngine, props: Partial<PolicyAgentProps>, name: string, way: Way = 'service'): Promise<NodeReport[]> {
  const namespace = `${engine.name}-${name}`.toLowerCase();
  const objects = agentManifests(engine, namespace, props);
  return underTraffic.run({
    title,
    engine,
    namespace,
    way,
    objects,
    change: async () => {
      const { kind, metadata } = objects.find((object) => ['DaemonSet', 'Deployment'].includes(object.kind));
      await cluster.kubectl.run('rollout', 'restart', `${kind}/${metadata.name}`, '--namespace', namespace);
      await rolledOut(cluster.kubectl, objects, 120);
    },
  });
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('a rollout of %s', (name, engine) => {
  test.concurrent.each<[string, Partial<PolicyAgentProps>]>([
    ['DaemonSet', { deploymentMode: DAEMON_SET }],
    ['Deployment', { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 3 } } }],
  ])('as a %s by its Service loses no request', async (kind, props) => {
    expectNoLoss(await roll(`${name} ${kind}, Service`, engine, props, kind));
  });

  test.concurrent.each<[Way, AgentAccess]>([
    ['hostPort', AgentAccess.hostPort()],
    ['socket', AgentAccess.unixSocket()],
  ])('by %s has a gap on each node, which the docs tell', async (way, access) => {
    const reports = await roll(`${name} DaemonSet, ${way}`, engine, { deploymentMode: DAEMON_SET, access: [access] }, way, way);
    for (const { longestGap } of reports) expect(longestGap).toBeLessThan(20_000);
  });

  test.concurrent('with the settings that others use today loses some', async () => {
    const reports = await roll(`${PEERS[name].title}, for comparison`, engine, { deploymentMode: DAEMON_SET, ...PEERS[name].props }, 'peer');
    expect(reports.reduce((sum, { failed }) => sum + failed, 0)).toBeGreaterThan(0);
  });
});
