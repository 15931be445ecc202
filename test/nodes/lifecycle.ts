import { execFileSync } from 'child_process';
import { agentManifests, CERBOS, ENGINES, OPA, TestEngine } from './agents';
import { agentPods, askFrom, dropNamespace, makeNamespace, NODES, rolledOut, sleep } from './cluster';
import { Traffic } from './traffic';
import { Asked, expectNoLoss, UnderTraffic } from './under-traffic';
import { CerbosEngine, CerbosStorage, DeploymentMode, IPolicyEngine, OpaEngine, PolicyAgentProps, PolicyFiles } from '../../lib';
import { NodeCluster } from '../rig/node-cluster';
import { buildBundle } from '../support/bundle-server';
import { eventually } from '../support/http';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const EACH = ENGINES.map((engine) => [engine.name, engine] as const);

/** Pause of clients that ask four agents at once. */
const CALM = 100;

/** What becomes of agents that start, break, are killed, drained or lose their node. */
export function lifecycle(cluster: () => NodeCluster) {
  const underTraffic = new UnderTraffic(cluster);
  afterAll(() => underTraffic.print('Agents that are killed, drained or lose their node, under traffic'));

  test.concurrent('is not ready before its policy is: OPA waits for its bundle', async () => {
    const namespace = 'waits-opa';
    const { kubectl } = cluster();
    await makeNamespace(kubectl, namespace, 'restricted');
    await kubectl.apply(agentManifests(OPA, namespace, {
      engine: new OpaEngine({ bundles: { authz: { url: `http://bundles.${namespace}.svc:8080/bundle.tar.gz`, roots: ['authz'] } }, decisions: ['authz/verdict'] }),
    }));
    await stayUnready(namespace);
    await kubectl.apply(bundleServer(namespace));
    await eventually('an answer', async () => answers(OPA, namespace), 60, 500);
    await dropNamespace(kubectl, namespace);
  });

  test.concurrent('is not ready before its policy is: Cerbos waits for its ConfigMap', async () => {
    const namespace = 'waits-cerbos';
    const { kubectl } = cluster();
    await makeNamespace(kubectl, namespace, 'restricted');
    const inline = agentManifests(CERBOS, namespace);
    const rules = inline.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'agent-policies');
    await kubectl.apply(agentManifests(CERBOS, namespace, {
      engine: new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromConfigMap('rules', { checksum: '1' })) }),
      deploymentMode: DAEMON_SET,
    }));
    await stayUnready(namespace);
    await kubectl.apply([{ ...rules, metadata: { name: 'rules', namespace } }]);
    await eventually('an answer', async () => answers(CERBOS, namespace), 120, 500);
    await dropNamespace(kubectl, namespace);
  });

  test.concurrent.each(EACH)('with a broken policy does not take the place of a good one: %s', async (name, engine) => {
    const namespace = `broken-${name.toLowerCase()}`;
    const objects = agentManifests(engine, namespace, { deploymentMode: DAEMON_SET });
    const reports = await underTraffic.run({ title: `${name} DaemonSet, a release with a broken policy`, engine, namespace, objects }, async () => {
      const { kubectl } = cluster();
      await kubectl.apply(agentManifests(engine, namespace, { deploymentMode: DAEMON_SET, engine: BROKEN[name]() }));
      await eventually('the new pods fail', async () => (await agentPods(kubectl, namespace)).some((pod) => restarts(pod) > 1), 60, 1000);
      expect((await agentPods(kubectl, namespace)).filter(isReady)).toHaveLength(NODES.length);
    });
    expectNoLoss(reports);
  });

  test.concurrent.each(EACH)('that is killed comes back in place, and only its own node notices: %s', async (name, engine) => {
    const namespace = `killed-${name.toLowerCase()}`;
    const objects = agentManifests(engine, namespace, { deploymentMode: DAEMON_SET });
    const reports = await underTraffic.run({ title: `${name} DaemonSet, the agent of n1 is killed`, engine, namespace, objects }, async () => {
      const before = await podOn('n1', namespace);
      const container = before.status.containerStatuses[0].containerID.replace('containerd://', '');
      const [program, ...args] = [...cluster().node('n1').prefix, 'ctr', '--namespace=k8s.io', 'tasks', 'kill', '--signal=SIGKILL', container];
      execFileSync(program, args);
      await eventually('it is back', async () => {
        const pod = await podOn('n1', namespace);
        return restarts(pod) === 1 && isReady(pod) && pod.metadata.uid === before.metadata.uid;
      }, 60, 500);
    });
    const [own, ...others] = reports;
    expect(own.failed).toBeGreaterThan(0);
    expectNoLoss(others);
  });

  test('on a node that is drained moves as a Deployment, stays as a DaemonSet, and loses no request', async () => {
    const { kubectl } = cluster();
    const agents = everyShape('drained', 'n2 is drained', { labels: { drained: 'true' } });
    const traffics = await start(agents);
    const since = Date.now();
    const stay = await Promise.all(agents.filter(({ mode }) => mode === DAEMON_SET).map(async ({ namespace }) => podOn('n2', namespace)));
    // Only agents are moved: clients stay on the node, and go on asking.
    await kubectl.run('drain', 'n2', '--ignore-daemonsets', '--delete-emptydir-data', '--pod-selector=drained=true', '--timeout=120s');
    await Promise.all(agents.map(async ({ objects }) => rolledOut(kubectl, objects)));
    for (const { mode, namespace } of agents) {
      const there = (await agentPods(kubectl, namespace)).filter(({ spec, metadata }) => spec.nodeName === 'n2' && !metadata.deletionTimestamp);
      expect(there).toHaveLength(mode === DAEMON_SET ? 1 : 0);
      if (mode === DAEMON_SET) expect(stay.map(({ metadata }) => metadata.uid)).toContain(there[0].metadata.uid);
    }
    await kubectl.run('uncordon', 'n2');
    for (const [index, agent] of agents.entries()) expectNoLoss(await underTraffic.finish(agent, traffics[index], since), CALM);
  });

  test('on a node that crashes is missed by nobody else as a DaemonSet, and as a Deployment until Kubernetes notices; it is back with the node', async () => {
    const { kubectl } = cluster();
    const agents = everyShape('crashed', 'n3 crashes').map((agent) => ({ ...agent, nodes: ['n1', 'n2'] }));
    const traffics = await start(agents);
    const since = Date.now();
    await cluster().node('n3').crash();
    await kubectl.run('wait', '--for=condition=Ready=unknown', 'node/n3', '--timeout=60s');
    await eventually('the pods of n3 are given up', async () => {
      const pods = await Promise.all(agents.map(async ({ namespace }) => podOn('n3', namespace)));
      return pods.every((pod) => !isReady(pod));
    }, 30, 500);
    await Promise.all(traffics.map(async (traffic) => eventually('nobody misses it', async () => {
      const reports = await traffic.reports(Date.now() - 5000, ['new']);
      return reports.every(({ requests, failed }) => requests > 0 && failed === 0);
    }, 30, 1000)));
    for (const [index, { mode, title }] of agents.entries()) {
      const reports = await traffics[index].reports(since, ['new']);
      underTraffic.add(`${title}, new connections`, reports);
      if (mode === DAEMON_SET) expect(reports.filter(({ failed }) => failed > 0)).toEqual([]);
    }
    await cluster().node('n3').up();
    await cluster().node('n3').ready();
    await Promise.all(agents.map(async ({ objects }) => rolledOut(kubectl, objects)));
    for (const { mode, namespace } of agents) {
      if (mode === DAEMON_SET) await eventually('it is back', async () => isReady(await podOn('n3', namespace)), 60, 500);
    }
    await Promise.all(agents.map(async (agent, index) => underTraffic.finish(agent, traffics[index], since)));
  });

  /** An agent of each engine in each mode. */
  function everyShape(prefix: string, what: string, props: Partial<PolicyAgentProps> = {}) {
    return ENGINES.flatMap((engine) => [DAEMON_SET, DEPLOYMENT].map((mode) => {
      const namespace = `${prefix}-${engine.name}-${mode}`.toLowerCase();
      const objects = agentManifests(engine, namespace, { deploymentMode: mode, roleGroups: { default: { replicas: 3 } }, ...props });
      return { title: `${engine.name} ${mode}, ${what}`, engine, mode, namespace, objects, everyMs: CALM };
    }));
  }

  async function start(agents: Asked[]): Promise<Traffic[]> {
    return Promise.all(agents.map(async (agent) => underTraffic.start(agent)));
  }

  /** Fails when an agent becomes ready within some seconds. */
  async function stayUnready(namespace: string) {
    await eventually('pods', async () => (await agentPods(cluster().kubectl, namespace)).length === NODES.length);
    await sleep(8000);
    expect((await agentPods(cluster().kubectl, namespace)).filter(isReady)).toEqual([]);
  }

  async function answers(engine: TestEngine, namespace: string): Promise<boolean> {
    const args = [...engine.ask('service', { host: `agent.${namespace}.svc`, namespace }), `--body=${engine.body('alice')}`, `--expect=${engine.allowed}`];
    return (await Promise.all(NODES.map(async (node) => askFrom(cluster(), node, args)))).every(([{ good }]) => good);
  }

  async function podOn(node: string, namespace: string): Promise<any> {
    return (await agentPods(cluster().kubectl, namespace)).find(({ spec }) => spec.nodeName === node);
  }
}

/** Engines whose policy cannot be loaded. */
const BROKEN: Record<string, () => IPolicyEngine> = {
  OPA: () => new OpaEngine({ policies: [PolicyFiles.inline({ 'authz.rego': 'package authz\n\nverdict :=\n' })], decisions: ['authz/verdict'] }),
  Cerbos: () => new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'document.yaml': 'resourcePolicy: {}\n' })) }),
};

function restarts({ status }: any): number {
  return status.containerStatuses?.[0].restartCount ?? 0;
}

function isReady({ status }: any): boolean {
  return status.conditions?.some(({ type, status: is }: any) => type === 'Ready' && is === 'True') ?? false;
}

/** Serves a bundle of OPA's policy, by a web server that has nothing else. */
function bundleServer(namespace: string): any[] {
  const bundle = buildBundle({
    '.manifest': '{"roots": ["authz"]}',
    'authz.rego': 'package authz\n\nverdict := {"allow": input.user == "alice"}\n',
  });
  const labels = { app: 'bundles' };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bundles', namespace }, binaryData: { 'bundle.tar.gz': bundle.toString('base64') } },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bundles', namespace }, spec: { selector: labels, ports: [{ port: 8080 }] } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bundles', namespace, labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        securityContext: { runAsUser: 3000, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [{
          name: 'httpd',
          image: 'docker.io/library/busybox:1.37',
          command: ['/bin/busybox', 'httpd', '-f', '-p', '8080', '-h', '/www'],
          volumeMounts: [{ name: 'www', mountPath: '/www' }],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        }],
        volumes: [{ name: 'www', configMap: { name: 'bundles' } }],
      },
    },
  ];
}
