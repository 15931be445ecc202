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

  describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('of %s', (name, engine) => {
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

    test.concurrent('with the settings of a peer loses some', async () => {
      const { title, props } = PEERS[name];
      expect(lost(await roll(`${name} DaemonSet, settings of ${title}`, engine, { deploymentMode: DAEMON_SET, ...props }, 'peer'))).toBeGreaterThan(0);
    });
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
