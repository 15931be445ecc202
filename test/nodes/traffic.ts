import { Answer, NODES, parseAnswers, sleep } from './cluster';
import { Kubectl } from '../rig/kubectl';
import { eventually } from '../support/http';

/** Pause of a client after each answer, by default. */
export const EVERY_MS = 20;

/** How clients of a node fared. */
export interface NodeReport {
  readonly node: string;
  readonly requests: number;
  readonly failed: number;
  /** Between the ends of two good answers, in milliseconds: says more than the count, since a lost packet costs a second, a refusal nothing. */
  readonly longestGap: number;
  /** What failed requests said, the first few. */
  readonly errors: string[];
}

export interface TrafficOptions {
  readonly namespace: string;
  /** Nodes that ask; by default all of them. */
  readonly nodes?: string[];
  /** Pause of a client after each answer. */
  readonly everyMs: number;
  /** Clients on each node by their names: arguments of `testkit ask` that say whom to ask, from a node. */
  readonly clients: (node: string) => Record<string, string[]>;
  /** Directory with a socket to mount. */
  readonly socketDirectory?: string;
}

/** Steady traffic from every node. */
export class Traffic {
  public static async start(kubectl: Kubectl, options: TrafficOptions): Promise<Traffic> {
    const traffic = new Traffic(kubectl, options);
    await kubectl.apply(traffic.nodes.map((node) => pod(node, options)));
    await eventually('traffic', async () => {
      const reports = await traffic.reports();
      return reports.every(({ requests, failed }) => requests > 5 && requests > failed);
    }, 60, 1000);
    return traffic;
  }

  private readonly started = Date.now();

  private constructor(private readonly kubectl: Kubectl, private readonly options: TrafficOptions) {}

  /** Waits until each client has sent so many requests since a moment. */
  public async until(requests: number, since: number) {
    await sleep(since + requests * this.options.everyMs - Date.now());
    await eventually(`${requests} requests`, async () => (await this.reports(since)).every((report) => report.requests >= requests), 120, 3000);
  }

  /** How clients fared since a moment, by default since the beginning: all of them, or those of some names. */
  public async reports(since = this.started, names = this.names): Promise<NodeReport[]> {
    return (await this.answers()).map(({ node, answers: given }) => {
      const all = names.map((name) => given.filter(({ client, at }) => client === name && at >= since));
      const failed = all.flatMap((some) => some.filter(({ good }) => !good));
      return {
        node,
        requests: Math.min(...all.map((some) => some.length)),
        failed: failed.length,
        longestGap: Math.round(Math.max(...all.map(longestGap))),
        errors: failed.slice(0, 3).map(({ text }) => text),
      };
    });
  }

  /** Stops the clients. */
  public async stop() {
    await this.kubectl.run('delete', 'pods', '--selector=app=traffic', '--namespace', this.options.namespace, '--wait=false');
  }

  private get nodes(): string[] {
    return this.options.nodes ?? NODES;
  }

  private get names(): string[] {
    return Object.keys(this.options.clients(this.nodes[0]));
  }

  /** All answers so far. */
  private async answers(): Promise<{ readonly node: string; readonly answers: Answer[] }[]> {
    return Promise.all(this.nodes.map(async (node) => {
      const { stdout } = await this.kubectl.try(['logs', `traffic-${node}`, '--namespace', this.options.namespace]);
      return { node, answers: parseAnswers(stdout) };
    }));
  }
}

function longestGap(answers: Answer[]): number {
  const ends = answers.filter(({ good }) => good).map(({ at, took }) => at + took);
  const last = answers.at(-1);
  if (last && !last.good) ends.push(last.at + last.took);
  return ends.slice(1).reduce((longest, end, index) => Math.max(longest, end - ends[index]), 0);
}

function pod(node: string, { namespace, clients, socketDirectory, everyMs }: TrafficOptions): any {
  // One program for all, since containers cost more than requests.
  const args = Object.entries(clients(node)).flatMap(([name, of]) => ['--', `--name=${name}`, `--every=${everyMs}ms`, '--timeout=2s', '--quiet', ...of]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `traffic-${node}`, namespace, labels: { app: 'traffic' } },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [{
        name: 'clients',
        image: 'localhost/testkit:1',
        imagePullPolicy: 'Never',
        args: ['ask', ...args.slice(1)],
        ...(socketDirectory && { volumeMounts: [{ name: 'socket', mountPath: socketDirectory, readOnly: true }] }),
      }],
      ...(socketDirectory && { volumes: [{ name: 'socket', hostPath: { path: socketDirectory, type: 'DirectoryOrCreate' } }] }),
    },
  };
}

/** A table of reports, for the log of a test. */
export function table(rows: [string, NodeReport[]][]): string {
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, reports]) => [
    title.padEnd(width),
    `failed ${reports.map(({ failed }) => failed).join('/')}`.padEnd(18),
    `of ${Math.min(...reports.map(({ requests }) => requests))} per client`.padEnd(20),
    `longest gap ${reports.map(({ longestGap: gap }) => `${gap} ms`).join(' / ')}`,
  ].join('  ')).join('\n');
}
