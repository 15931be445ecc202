import { App, Chart } from 'cdk8s';
import { PolicyAgent, PolicyAgentProps } from '../../lib';
import { makeNamespace, rolledOut } from '../nodes/cluster';
import { ControlPlane } from '../rig/control-plane';
import { objectsIn, opa } from '../support/synth';

/** The objects of an agent called `agent`, without any check of theirs. */
export function agent(namespace: string, props: Partial<PolicyAgentProps> = {}): any[] {
  const chart = new Chart(new App(), 'test', { namespace });
  new PolicyAgent(chart, 'Agent', { engine: opa(), ...props });
  return objectsIn(chart);
}

/** Something that is tried in a namespace of its own. */
export class Trial {
  /** Tries it, and frees the nodes for the next one. */
  public static async run(plane: ControlPlane, namespace: string, work: (trial: Trial) => Promise<void>) {
    await makeNamespace(plane.kubectl, namespace, 'privileged');
    try {
      await work(new Trial(plane, namespace));
    } finally {
      await plane.kubectl.run('delete', 'daemonsets,deployments', '--all', `--namespace=${namespace}`, '--cascade=foreground');
    }
  }

  private constructor(private readonly plane: ControlPlane, public readonly namespace: string) {}

  public agent(props?: Partial<PolicyAgentProps>): any[] {
    return agent(this.namespace, props);
  }

  public async apply(objects: any[]) {
    await this.plane.kubectl.apply(objects);
  }

  public async rollOut(objects: any[]) {
    await this.apply(objects);
    await rolledOut(this.plane.kubectl, objects);
  }

  public async list(kind: string): Promise<any[]> {
    return this.plane.kubectl.list(kind, this.namespace);
  }

  /** The nodes that pods stand on. */
  public async nodes(): Promise<string[]> {
    return (await this.list('pods')).map(({ spec }) => spec.nodeName).sort();
  }

  /** Waits until so many pods could not be placed, all for one reason. */
  public async untilPending(count: number, reason: RegExp) {
    await this.plane.until(`${count} pending pods`, async () => {
      const messages = (await this.list('pods')).flatMap(({ status }) => status.conditions ?? [])
        .filter(({ type, status }) => type === 'PodScheduled' && status === 'False').map(({ message }) => message);
      return messages.length === count && messages.every((message) => reason.test(message));
    });
  }

  /** Waits until the only object of a kind has a condition for a reason. */
  public async untilCondition(kind: string, reason: string, message = /(?:)/) {
    await this.plane.until(`${kind} ${reason}`, async () => {
      const [{ status }] = await this.list(kind);
      return status?.conditions?.some((condition: any) => condition.reason === reason && message.test(condition.message ?? ''));
    });
  }

  /** What the API server says to the eviction of one of the pods. */
  public async evict(): Promise<string> {
    const [{ metadata: { name, namespace } }] = await this.list('pods');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    return (await this.plane.kubectl.try(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(eviction))).stderr;
  }
}
