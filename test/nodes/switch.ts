import { agentManifests, CERBOS, ENGINES, TestEngine } from './agents';
import { deploy, NODES } from './cluster';
import { PEERS } from './peers';
import { expectNoLoss, lost, UnderTraffic } from './under-traffic';
import { DeploymentMode, InternalTrafficPolicy, PolicyAgentProps } from '../../lib';
import { NodeCluster } from '../rig/node-cluster';
import { Moment, ServiceWatch } from '../rig/service-watch';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const WORKLOADS = ['daemonsets', 'deployments', 'replicasets', 'poddisruptionbudgets'];

/** The deployment mode is changed while every node asks the agent. */
export function switches(cluster: () => NodeCluster) {
  const underTraffic = new UnderTraffic(cluster);
  afterAll(() => underTraffic.print('Switches of the deployment mode under traffic'));

  describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', (_, engine) => {
    test.concurrent.each([[DAEMON_SET, DEPLOYMENT], [DEPLOYMENT, DAEMON_SET]])('in stages from %s to %s loses no request and leaves nothing behind', async (from, to) => {
      const namespace = namespaceOf('staged', engine, from);
      const release = (props: Partial<PolicyAgentProps>) => manifests(engine, namespace, props);
      let moments: Moment[] = [];
      const reports = await underTraffic.run({ title: `${engine.name} ${from} to ${to}, staged`, engine, namespace, objects: release({ deploymentMode: from }) }, async () => {
        const watch = await ServiceWatch.start(cluster().kubectl, namespace, 'agent');
        await deploy(cluster().kubectl, release({ deploymentMode: to, migrateFrom: from }));
        await deploy(cluster().kubectl, release({ deploymentMode: to }));
        expect(await leftOf(from, namespace)).toEqual([]);
        moments = await watch.stop();
      });
      expectNoLoss(reports);
      expect(moments.length).toBeGreaterThan(3);
      expect(moments.filter(withoutAnswer)).toEqual([]);
    });
  });

  test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('at once, which is measured, leaves nothing behind: %s', async (_, engine) => {
    await atOnce(`${engine.name} ${DAEMON_SET} to ${DEPLOYMENT}, at once`, engine, namespaceOf('direct', engine, DAEMON_SET), {});
  });

  test.concurrent('at once with the settings of a peer loses some', async () => {
    const { title, props } = PEERS[CERBOS.name];
    const reports = await atOnce(`${CERBOS.name} ${DAEMON_SET} to ${DEPLOYMENT}, at once, settings of ${title}`, CERBOS, namespaceOf('peer', CERBOS, DAEMON_SET), props);
    expect(lost(reports)).toBeGreaterThan(0);
  });

  test.concurrent('in stages, but kept Local, loses requests on nodes whose pod is still to come', async () => {
    const namespace = namespaceOf('local', CERBOS, DEPLOYMENT);
    const one = { roleGroups: { default: { replicas: 1 } } };
    const reports = await underTraffic.run({
      title: `${CERBOS.name} ${DEPLOYMENT} to ${DAEMON_SET}, staged, but Local`, engine: CERBOS, namespace, objects: manifests(CERBOS, namespace, { deploymentMode: DEPLOYMENT, ...one }),
    }, async () => deploy(cluster().kubectl, manifests(CERBOS, namespace, {
      deploymentMode: DAEMON_SET,
      migrateFrom: DEPLOYMENT,
      ...one,
      objectOverrides: [{ kind: 'Service', metadata: { name: 'agent' }, spec: { internalTrafficPolicy: InternalTrafficPolicy.LOCAL } }],
    })));
    expect(lost(reports)).toBeGreaterThan(0);
  });

  async function atOnce(title: string, engine: TestEngine, namespace: string, props: Partial<PolicyAgentProps>) {
    const release = (deploymentMode: DeploymentMode) => manifests(engine, namespace, { deploymentMode, ...props });
    return underTraffic.run({ title, engine, namespace, objects: release(DAEMON_SET) }, async () => {
      await deploy(cluster().kubectl, release(DEPLOYMENT));
      expect(await leftOf(DAEMON_SET, namespace)).toEqual([]);
    });
  }

  /** What carries the mark of a mode; pods that are being stopped count as gone. */
  async function leftOf(mode: DeploymentMode, namespace: string): Promise<string[]> {
    const { kubectl } = cluster();
    const all = await Promise.all(WORKLOADS.map(async (kind) => kubectl.list(kind, namespace)));
    const ofMode = all.flat().filter(({ spec }) => spec.selector.matchLabels['cdk8s-platform-services/workload-kind'] === mode);
    return ofMode.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  }
}

function manifests(engine: TestEngine, namespace: string, props: Partial<PolicyAgentProps>): any[] {
  return agentManifests(engine, namespace, { roleGroups: { default: { replicas: 3 } }, ...props });
}

function namespaceOf(title: string, engine: TestEngine, from: DeploymentMode): string {
  return `switch-${title}-${engine.name}-from-${from}`.toLowerCase();
}

/** Whether clients of some node have no pod that answers them. */
function withoutAnswer({ internalTrafficPolicy, ready }: Moment): boolean {
  return internalTrafficPolicy === 'Local' ? NODES.some((node) => !ready.some((endpoint) => endpoint.node === node)) : ready.length === 0;
}
