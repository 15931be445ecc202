import { Kubectl } from './kubectl';
import { eventually } from '../support/http';

/** A pod behind a Service. */
export interface Endpoint {
  readonly pod: string;
  readonly node: string;
  readonly ready: boolean;
  /** It is being stopped, and still answers: where nothing is ready, kube-proxy leads to it. */
  readonly stopping: boolean;
}

/** What a Service was like between one change of it or of its EndpointSlices and the next one. */
export interface Moment {
  readonly internalTrafficPolicy: string;
  readonly ready: Endpoint[];
  readonly stopping: Endpoint[];
}

interface Change {
  /** Position in the history of the whole cluster. */
  readonly revision: number;
  readonly key: string;
  /** Undefined when the object was deleted. */
  readonly object?: any;
}

/**
 * Watches a Service and its EndpointSlices, and tells every state that they went through. Resource versions order the
 * changes of both, so no state is missed and none is made up.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class ServiceWatch {
  /** Starts to watch, and returns when the present state is known. */
  public static async start(kubectl: Kubectl, namespace: string, name: string): Promise<ServiceWatch> {
    const watch = new ServiceWatch(kubectl, [
      `/api/v1/namespaces/${namespace}/services?fieldSelector=metadata.name%3D${name}`,
      `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name%3D${name}`,
    ]);
    watch.since = await watch.caughtUp();
    return watch;
  }

  private readonly changes: Change[] = [];
  private readonly stops: (() => void)[];
  private failure?: Error;
  private since = 0;

  private constructor(private readonly kubectl: Kubectl, private readonly lists: string[]) {
    this.stops = lists.map((list) => this.watch(`${list}&watch=1`));
  }

  /** Ends the watch when everything that has happened is known: the states since it was started, the first one included. */
  public async stop(): Promise<Moment[]> {
    const until = await this.caughtUp();
    this.stops.forEach((stop) => stop());
    const state = new Map<string, any>();
    const moments: Moment[] = [];
    const ordered = this.changes.filter(({ revision }) => revision <= until).sort((a, b) => a.revision - b.revision);
    for (const [index, { revision, key, object }] of ordered.entries()) {
      if (object) state.set(key, object);
      else state.delete(key);
      const next = ordered[index + 1]?.revision ?? Infinity;
      if (next > this.since || revision > this.since) moments.push(momentOf([...state.values()]));
    }
    return moments;
  }

  private watch(path: string): () => void {
    return this.kubectl.stream(path, (line) => this.record(JSON.parse(line)), (error) => this.failure ??= error);
  }

  private record({ type, object }: any) {
    if (type === 'ERROR') {
      this.failure ??= new Error(`the watch failed: ${JSON.stringify(object)}`);
      return;
    }
    const { kind, metadata } = object;
    this.changes.push({
      revision: Number(metadata.resourceVersion), key: `${kind}/${metadata.name}`, object: type === 'DELETED' ? undefined : essence(object),
    });
  }

  /** Waits until the watch knows what the API server tells now, and returns the revision of that. */
  private async caughtUp(): Promise<number> {
    let revision = 0;
    await eventually('the watch has caught up', async () => {
      if (this.failure) throw Object.assign(this.failure, { final: true });
      const answers = await Promise.all(this.lists.map(async (list) => JSON.parse(await this.kubectl.run('get', '--raw', list))));
      const there = answers.flatMap(({ items }) => items).map(({ metadata }) => Number(metadata.resourceVersion));
      revision = Math.min(...answers.map(({ metadata }) => Number(metadata.resourceVersion)));
      const known = new Set(this.latest().map((change) => change.revision));
      return there.length === known.size && there.every((version) => known.has(version));
    }, 30);
    return revision;
  }

  /** The last change of each object that is there. */
  private latest(): Change[] {
    return [...new Map(this.changes.map((change) => [change.key, change])).values()].filter(({ object }) => object);
  }
}

/** Of a Service or an EndpointSlice, as little as is needed: a slice of a hundred endpoints is told anew with every change. */
function essence({ kind, spec, endpoints }: any) {
  if (kind === 'Service') return { internalTrafficPolicy: spec.internalTrafficPolicy };
  const pods: Endpoint[] = (endpoints ?? []).map(({ targetRef, nodeName, conditions }: any) => (
    { pod: targetRef.name, node: nodeName, ready: conditions.ready, stopping: conditions.serving && conditions.terminating }
  ));
  return { pods };
}

function momentOf(objects: any[]): Moment {
  const pods: Endpoint[] = objects.flatMap((object) => object.pods ?? []);
  return {
    internalTrafficPolicy: objects.find(({ internalTrafficPolicy }) => internalTrafficPolicy)?.internalTrafficPolicy,
    ready: pods.filter(({ ready }) => ready),
    stopping: pods.filter(({ stopping }) => stopping),
  };
}
