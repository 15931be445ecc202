/**
 * Where the real scheduler puts clients on 1,000 fake nodes, with and without the construct (`npm run bench:colocation`).
 * A missed goal fails with `--strict`.
 */
import { ApiObject, App, Chart } from 'cdk8s';
import { ClientAddress, DeploymentMode, OpaEngine, PolicyAgent, PolicyClientOptions } from '../lib';
import { ControlPlane } from '../test/rig/control-plane';
import { addNodes, numberedNodes, startKwok } from '../test/rig/fake-nodes';

const NODES = 1000;
const AGENTS = 30;
const WORKLOADS = 10;
const CLIENTS = 300;
const GOALS = { share: 0.95, crowd: 3 };

interface Case {
  readonly name: string;
  /** Undefined: the construct is not used. */
  readonly client?: PolicyClientOptions;
  readonly agentFirst: boolean;
  /** Start the clients anew when all is there, and look again. */
  readonly restart?: boolean;
  readonly hasGoal?: boolean;
}

const CASES: Case[] = [
  { name: 'without, agent first', agentFirst: true },
  { name: 'with, agent first', client: {}, agentFirst: true, hasGoal: true },
  { name: 'without, all at once', agentFirst: false },
  { name: 'with, all at once', client: {}, agentFirst: false },
  { name: 'with, all at once, clients restarted', client: {}, agentFirst: false, restart: true },
  { name: 'required, all at once', client: { required: true }, agentFirst: false },
];

function objectsOf({ client }: Case, namespace: string): { agent: any[]; clients: any[] } {
  const app = new App();
  const chart = new Chart(app, 'clients', { namespace });
  const agentChart = new Chart(app, 'agent', { namespace });
  const agent = new PolicyAgent(agentChart, 'Opa', {
    engine: new OpaEngine({ bundles: { authz: { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] } }, decisions: ['authz/allow'] }),
    deploymentMode: DeploymentMode.DEPLOYMENT,
    roleGroups: { default: { replicas: AGENTS } },
  });
  for (let number = 1; number <= WORKLOADS; number++) {
    const labels = { app: `web-${number}`, role: 'client' };
    const web = new ApiObject(chart, `web-${number}`, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `web-${number}`, labels: { role: 'client' } },
      spec: {
        replicas: CLIENTS / WORKLOADS,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '500m', memory: '512Mi' } } }],
            topologySpreadConstraints: [{
              topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { app: `web-${number}` } },
            }],
          },
        },
      },
    });
    if (client) agent.addClient(web, { address: ClientAddress.NONE, ...client });
  }
  app.synthYaml();
  const json = (scope: Chart) => scope.node.findAll().filter((each) => ApiObject.isApiObject(each)).map((object) => (object as ApiObject).toJson());
  return { agent: json(agentChart), clients: json(chart) };
}

interface Placement {
  readonly share: number;
  readonly mean: number;
  readonly most: number;
  readonly zones: number[];
}

/** Where the clients are, once all of them run. */
async function placement({ kubectl }: ControlPlane, namespace: string): Promise<Placement> {
  const running = async (selector: string) => (await kubectl.list('pods', namespace, selector)).filter(({ metadata, spec }) => !metadata.deletionTimestamp && spec.nodeName);
  const agents = new Set((await running('app.kubernetes.io/name=opa')).map(({ spec }) => spec.nodeName));
  const clients = (await running('role=client')).map(({ spec }) => spec.nodeName as string);
  if (agents.size === 0 || clients.length !== CLIENTS) throw new Error(`expected ${CLIENTS} clients, found ${clients.length} on nodes, and agents on ${agents.size} nodes`);
  const beside = clients.filter((node) => agents.has(node));
  const counts = [...agents].map((node) => beside.filter((other) => other === node).length);
  const zones = [1, 2, 3].map((zone) => clients.filter((node) => Number(node.slice('node-'.length)) % 3 === zone % 3).length);
  return { share: beside.length / CLIENTS, mean: beside.length / agents.size, most: Math.max(...counts), zones };
}

async function run(plane: ControlPlane, each: Case, index: number): Promise<Placement> {
  const { kubectl } = plane;
  const namespace = `case-${index}`;
  await kubectl.run('create', 'namespace', namespace);
  const { agent, clients } = objectsOf(each, namespace);
  const wait = async (...what: string[]) => kubectl.run('rollout', 'status', ...what, '--namespace', namespace, '--timeout=300s');
  try {
    if (each.agentFirst) {
      await kubectl.apply(agent);
      await wait('deployment/opa-default');
      await kubectl.apply(clients);
    } else {
      await kubectl.apply([...clients, ...agent]);
    }
    const names = ['opa-default', ...clients.map(({ metadata }) => metadata.name)].map((name) => `deployment/${name}`);
    for (const name of names) await wait(name);
    if (each.restart) {
      await kubectl.run('rollout', 'restart', 'deployment', '--selector=role=client', '--namespace', namespace);
      for (const name of names) await wait(name);
    }
    return await placement(plane, namespace);
  } finally {
    await kubectl.run('delete', 'deployment', '--all', '--namespace', namespace);
    await plane.until('the nodes are empty again', async () => (await kubectl.list('pods', namespace)).length === 0, 120);
  }
}

async function main() {
  const plane = await ControlPlane.start();
  try {
    await startKwok(plane);
    const nodes = numberedNodes(NODES);
    // All at once are too many for a busy machine.
    for (let from = 0; from < NODES; from += 100) await addNodes(plane, nodes.slice(from, from + 100));
    console.log(`${NODES} nodes in 3 zones, ${AGENTS} agents, ${CLIENTS} clients of ${WORKLOADS} workloads (500m CPU, 512Mi each; spread over zones)\n`);
    console.log('case                                   beside an agent  clients per agent node: mean  most  most/mean  per zone');
    let missed = false;
    for (const [index, each] of CASES.entries()) {
      const { share, mean, most, zones } = await run(plane, each, index);
      const crowd = most / mean;
      const pass = share >= GOALS.share && crowd <= GOALS.crowd;
      missed ||= each.hasGoal === true && !pass;
      const goal = each.hasGoal ? `  ${pass ? 'pass' : 'FAIL'} (at least ${GOALS.share * 100} %, at most ${GOALS.crowd} times the mean)` : '';
      const cells = [
        each.name.padEnd(37), `${(share * 100).toFixed(1)} %`.padStart(15), mean.toFixed(1).padStart(28), String(most).padStart(4), crowd.toFixed(1).padStart(9), zones.join('/'),
      ];
      console.log(`${cells.join('  ')}${goal}`);
    }
    if (missed && process.argv.includes('--strict')) process.exitCode = 1;
  } finally {
    await plane.stop();
  }
}

void main();
