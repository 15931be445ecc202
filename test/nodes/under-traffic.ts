import { TestEngine, Way } from './agents';
import { dropNamespace, makeNamespace, NODES, rollOut } from './cluster';
import { NodeReport, table, Traffic } from './traffic';
import { nodeAddress } from '../rig/network';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';

/** Requests of each client while something changes, at least. */
export const REQUESTS = 1000;

/** Clients whose requests must not be lost. */
const COUNTED = ['new', 'kept'];

export interface Change {
  readonly title: string;
  readonly engine: TestEngine;
  readonly namespace: string;
  readonly way?: Way;
  /** What stands before. */
  readonly objects: any[];
  /** Changes it; the old pods need not be gone when it returns. */
  readonly change: () => Promise<void>;
}

/** Changes agents under traffic from every node, and gathers how the clients fared. */
export class UnderTraffic {
  private readonly rows: [string, NodeReport[]][] = [];

  public constructor(private readonly cluster: NodeCluster) {}

  public async run({ title, engine, namespace, way = 'service', objects, change }: Change): Promise<NodeReport[]> {
    const { kubectl } = this.cluster;
    await makeNamespace(kubectl, namespace, 'privileged');
    await rollOut(kubectl, objects);
    // By address, since name servers are not what is tested, and cost more than all else.
    const { clusterIP } = (await kubectl.get('service', 'agent', namespace))?.spec ?? {};
    const host = (node: string) => way === 'hostPort' ? nodeAddress(NODES.indexOf(node) + 1) : clusterIP;
    const question = [`--body=${engine.body('alice')}`, `--expect=${engine.allowed}`];
    const traffic = await Traffic.start(kubectl, {
      namespace,
      clients: (node): Record<string, string[]> => {
        const ask = [...engine.ask(way, { host: host(node), namespace }), ...question];
        const keptHttp = engine.askKept && way === 'service';
        return {
          new: ask,
          kept: keptHttp ? ['--keep', ...engine.askKept(host(node)), ...question] : ['--keep', ...ask],
          ...(keptHttp && { 'kept-http': ['--keep', ...ask] }),
        };
      },
      ...(way === 'socket' && { socketDirectory: `/run/${engine.name.toLowerCase()}/${namespace}/agent` }),
    });
    const old = await this.pods(namespace);
    const since = Date.now();
    await change();
    await eventually('old pods are gone', async () => (await this.pods(namespace)).every((name) => !old.includes(name)), 120, 1000);
    await traffic.until(REQUESTS + 100);
    const reports = await traffic.reports(since, COUNTED);
    this.rows.push([title, reports]);
    if (engine.askKept && way === 'service') this.rows.push([`${title}, kept HTTP connection`, await traffic.reports(since, ['kept-http'])]);
    await traffic.stop();
    await dropNamespace(kubectl, namespace);
    return reports;
  }

  /** Prints how all clients fared. */
  public print(heading: string) {
    if (this.rows.length > 0) process.stderr.write(`\n${heading} (on nodes ${NODES.join('/')}):\n${table(this.rows)}\n`);
  }

  private async pods(namespace: string): Promise<string[]> {
    const pods = await this.cluster.kubectl.list('pods', namespace, 'app.kubernetes.io/name');
    return pods.map(({ metadata }) => metadata.name);
  }
}

/** Fails when a request was lost. */
export function expectNoLoss(reports: NodeReport[]) {
  expect(reports.map(({ node, failed, errors }) => ({ node, failed, errors }))).toEqual(NODES.map((node) => ({ node, failed: 0, errors: [] })));
  for (const { requests } of reports) expect(requests).toBeGreaterThanOrEqual(REQUESTS);
}
