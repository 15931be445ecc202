import { KubernetesClient } from './kubernetes-client';
import { KubernetesObject } from './objects';
import { Watcher } from './watcher';

/** @see https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/ */
export interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: {
    readonly addresses: string[];
    readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
    readonly targetRef?: { readonly name?: string };
  }[];
}

/** Addresses of the pods of a Service that answer, one of each pod, as they are now. */
export class ServiceEndpoints {
  private readonly slices = new Map<string, EndpointSlice>();
  private known = false;

  /** @param changed Is called when something may be different. */
  public constructor(
    private readonly client: KubernetesClient,
    private readonly namespace: string,
    private readonly service: string,
    private readonly changed: () => void,
  ) {}

  /** Whether `addresses` says what is there, and not only that nobody has looked. */
  public get seen(): boolean {
    return this.known;
  }

  public get addresses(): string[] {
    const byPod = new Map<string, string>();
    for (const { endpoints } of this.slices.values()) {
      for (const { addresses: [address], conditions = {}, targetRef } of endpoints ?? []) {
        // A Service may count pods as ready that are not, but never as serving. What is left out is true.
        const answers = (conditions.serving ?? conditions.ready ?? true) && !conditions.terminating;
        const pod = targetRef?.name ?? address;
        // A pod of two families of addresses is in two slices.
        if (answers && (!byPod.has(pod) || address < byPod.get(pod)!)) byPod.set(pod, address);
      }
    }
    return [...byPod.values()].sort();
  }

  public async run(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices`;
    const watcher = new Watcher<EndpointSlice>(this.client, { path, query: { labelSelector: `kubernetes.io/service-name=${this.service}` } }, {
      put: (slice) => {
        this.slices.set(slice.metadata.uid, slice);
        if (this.known) this.changed();
      },
      remove: ({ metadata: { uid } }) => {
        this.slices.delete(uid);
        this.changed();
      },
      listed: (uids) => {
        for (const uid of [...this.slices.keys()]) {
          if (!uids.has(uid)) this.slices.delete(uid);
        }
        this.known = true;
        this.changed();
      },
      failed,
    });
    await watcher.run(signal);
  }
}
