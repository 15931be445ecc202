import { Answer, NODES, parseAnswers } from './cluster';
import { Kubectl } from '../rig/kubectl';
import { eventually } from '../support/http';

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
  /** Arguments of `testkit ask` that say whom to ask, from a node. */
  readonly ask: (node: string) => string[];
  /** Directory with a socket to mount. */
  readonly socketDirectory?: string;
}

/** Steady traffic from every node: on each a client with a new connection every 20 ms, and one that keeps its connection. */
export class Traffic {
  public static async start(kubectl: Kubectl, options: TrafficOptions): Promise<Traffic> {
    const traffic = new Traffic(kubectl, options.namespace);
    await kubectl.apply(NODES.map((node) => pod(node, options)));
    await eventually('traffic', async () => {
      const reports = await traffic.reports();
      return reports.every(({ requests, failed }) => requests > 20 && requests > failed);
    }, 60, 1000);
    return traffic;
  }

  private readonly started = Date.now();

  private constructor(private readonly kubectl: Kubectl, private readonly namespace: string) {}

  /** Waits until each client has sent so many requests, counted from the start. */
  public async until(requests: number, seconds = 120) {
    await eventually(`${requests} requests`, async () => (await this.answers()).every(([, answers]) => answers.length >= requests), seconds, 3000);
  }

  /** Stops the clients; tells how they fared since a moment, by default since the beginning. */
  public async stop(since = this.started): Promise<NodeReport[]> {
    const reports = await this.reports(since);
    await this.kubectl.run('delete', 'pods', '--selector=app=traffic', '--namespace', this.namespace, '--wait=false');
    return reports;
  }

  private async reports(since = this.started): Promise<NodeReport[]> {
    const answers = await this.answers();
    return NODES.map((node) => {
      const all = answers.filter(([of]) => of === node).map(([, some]) => some.filter(({ at }) => at >= since));
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

  /** All answers so far, of each client by its node. */
  private async answers(): Promise<[string, Answer[]][]> {
    return Promise.all(NODES.flatMap((node) => ['new', 'kept'].map(async (container): Promise<[string, Answer[]]> => {
      const { stdout } = await this.kubectl.try(['logs', `traffic-${node}`, '--namespace', this.namespace, `--container=${container}`]);
      return [node, parseAnswers(stdout)];
    })));
  }
}

function longestGap(answers: Answer[]): number {
  const ends = answers.filter(({ good }) => good).map(({ at, took }) => at + took);
  const last = answers.at(-1);
  if (last && !last.good) ends.push(last.at + last.took);
  return ends.slice(1).reduce((longest, end, index) => Math.max(longest, end - ends[index]), 0);
}

function pod(node: string, { namespace, ask, socketDirectory }: TrafficOptions): any {
  const container = (name: string, ...args: string[]) => ({
    name,
    image: 'localhost/testkit:1',
    imagePullPolicy: 'Never',
    args: ['ask', '--every=20ms', '--timeout=1s', ...args, ...ask(node)],
    ...(socketDirectory && { volumeMounts: [{ name: 'socket', mountPath: socketDirectory, readOnly: true }] }),
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `traffic-${node}`, namespace, labels: { app: 'traffic' } },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [container('new'), container('kept', '--keep')],
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
