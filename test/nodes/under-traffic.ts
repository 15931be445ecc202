import { TestEngine, Way } from './agents';
import { deploy, dropNamespace, makeNamespace, NODES, settled } from './cluster';
import { EVERY_MS, NodeReport, table, Traffic } from './traffic';
import { nodeAddress } from '../rig/network';
import { NodeCluster } from '../rig/node-cluster';

/** Requests of each client while something changes, at least, when they come every 20 ms: of the two on a node together 1,000. */
const REQUESTS = 500;

/** Clients whose requests must not be lost. */
const COUNTED = ['new', 'kept'];

/** An agent that is asked from every node. */
export interface Asked {
  readonly title: string;
  readonly engine: TestEngine;
  readonly namespace: string;
  readonly way?: Way;
  readonly objects: any[];
  /** Nodes that ask; by default all of them. */
  readonly nodes?: string[];
  /** Pause of a client after each answer; by default 20 ms. */
  readonly everyMs?: number;
}

/** Changes agents under traffic from every node, and gathers how the clients fared. */
export class UnderTraffic {
  private readonly rows: [string, NodeReport[]][] = [];

  public constructor(private readonly cluster: () => NodeCluster) {}

  /** Deploys an agent, starts traffic, changes something, and tells how clients fared meanwhile; pods may be stopping when the change returns. */
  public async run(asked: Asked, change: () => Promise<unknown>): Promise<NodeReport[]> {
    const traffic = await this.start(asked);
    const since = Date.now();
    await change();
    return this.finish(asked, traffic, since);
  }

  public async start({ engine, namespace, way = 'service', objects, nodes, everyMs = EVERY_MS }: Asked): Promise<Traffic> {
    const { kubectl } = this.cluster();
    await makeNamespace(kubectl, namespace, 'privileged');
    await deploy(kubectl, objects);
    // By address, since name servers are not what is tested, and cost more than all else.
    const { clusterIP } = (await kubectl.get('service', 'agent', namespace))?.spec ?? {};
    const host = (node: string) => way === 'hostPort' ? nodeAddress(NODES.indexOf(node) + 1) : clusterIP;
    const question = [`--body=${engine.body('alice')}`, `--expect=${engine.allowed}`];
    return Traffic.start(kubectl, {
      namespace,
      nodes,
      everyMs,
      clients: (node): Record<string, string[]> => {
        const ask = [...engine.ask(way, { host: host(node), namespace }), ...question];
        if (!engine.askKept || way !== 'service') return { new: ask, kept: ['--keep', ...ask] };
        return { 'new': ask, 'kept': ['--keep', ...engine.askKept(host(node)), ...question], 'kept-http': ['--keep', ...ask] };
      },
      ...(way === 'socket' && { socketDirectory: `/run/${engine.name.toLowerCase()}/${namespace}/agent` }),
    });
  }

  public async finish({ title, engine, namespace, way = 'service', everyMs = EVERY_MS }: Asked, traffic: Traffic, since: number): Promise<NodeReport[]> {
    const { kubectl } = this.cluster();
    await settled(kubectl, namespace);
    await traffic.until(REQUESTS * EVERY_MS / everyMs, since);
    const reports = await traffic.reports(since, COUNTED);
    this.add(title, reports);
    if (engine.askKept && way === 'service') this.add(`${title}, kept HTTP connection`, await traffic.reports(since, ['kept-http']));
    await traffic.stop();
    await dropNamespace(kubectl, namespace);
    return reports;
  }

  /** Adds a row to what is printed. */
  public add(title: string, reports: NodeReport[]) {
    this.rows.push([title, reports]);
  }

  /** Prints how all clients fared. */
  public print(heading: string) {
    if (this.rows.length > 0) process.stderr.write(`\n${heading} (by nodes of the clients):\n${table(this.rows)}\n`);
  }
}

/** Fails when a request was lost. */
export function expectNoLoss(reports: NodeReport[], everyMs = EVERY_MS) {
  expect(reports.filter(({ failed }) => failed > 0)).toEqual([]);
  for (const { requests } of reports) expect(requests).toBeGreaterThanOrEqual(REQUESTS * EVERY_MS / everyMs);
}

/** How many requests were lost in all. */
export function lost(reports: NodeReport[]): number {
  return reports.reduce((sum, { failed }) => sum + failed, 0);
}
