import { agentManifests, ENGINES, TestEngine, Way } from './agents';
import { rolledOut } from './cluster';
import { PEERS } from './peers';
import { NodeReport } from './traffic';
import { expectNoLoss, lost, UnderTraffic } from './under-traffic';
import { AgentAccess, DeploymentMode, PolicyAgentProps } from '../../lib';
import { NodeCluster } from '../rig/node-cluster';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

/** Agents are rolled while every node asks them. */
export function rollouts(cluster: () => NodeCluster) {
  const underTraffic = new UnderTraffic(cluster);
  afterAll(() => underTraffic.print('Rollouts under traffic'));

  // Engines take turns, since one of them costs more than the other.
  const each = <T>(cases: T[]) => cases.flatMap((one) => ENGINES.map((engine) => [engine.name, one, engine] as const));

  test.concurrent.each(each([DAEMON_SET, DEPLOYMENT]))('of %s as a %s by its Service loses no request', async (name, mode, engine) => {
    const props = { deploymentMode: mode, ...(mode === DEPLOYMENT && { roleGroups: { default: { replicas: 3 } } }) };
    expectNoLoss(await roll(`${name} ${mode}, Service`, engine, props, mode));
  });

  test.concurrent.each(each<Way>(['hostPort', 'socket']))('of %s by %s has a gap on each node, which the docs tell', async (name, way, engine) => {
    const access = way === 'hostPort' ? AgentAccess.hostPort() : AgentAccess.unixSocket();
    const reports = await roll(`${name} DaemonSet, ${way}`, engine, { deploymentMode: DAEMON_SET, access: [access] }, way, way);
    for (const { longestGap } of reports) expect(longestGap).toBeLessThan(20_000);
  });

  test.concurrent.each(each(['a peer']))('of %s with the settings of %s loses some', async (name, _, engine) => {
    const { title, props } = PEERS[name];
    expect(lost(await roll(`${name} DaemonSet, settings of ${title}`, engine, { deploymentMode: DAEMON_SET, ...props }, 'peer'))).toBeGreaterThan(0);
  });

  async function roll(title: string, engine: TestEngine, props: Partial<PolicyAgentProps>, name: string, way: Way = 'service'): Promise<NodeReport[]> {
    const namespace = `roll-${engine.name}-${name}`.toLowerCase();
    const objects = agentManifests(engine, namespace, props);
    return underTraffic.run({ title, engine, namespace, way, objects }, async () => {
      const { kind, metadata } = objects.find((object) => ['DaemonSet', 'Deployment'].includes(object.kind));
      await cluster().kubectl.run('rollout', 'restart', `${kind}/${metadata.name}`, '--namespace', namespace);
      await rolledOut(cluster().kubectl, objects, 120);
    });
  }
}
