import { randomBytes } from 'crypto';
import { FIELD_MANAGER, KubernetesClient } from './kubernetes-client';
import { CACHE_API } from './objects';

/** Whom an Event is about. */
export interface Regarding {
  readonly kind: 'Cache' | 'ConfigMap';
  readonly name: string;
  readonly uid: string;
}

/** So many objects are remembered as told about; beyond, one may be told again. */
const REMEMBERED = 10_000;

/** Writes Kubernetes Events, each once until something else is to be said of the same object. */
export class EventRecorder {
  private readonly told = new Map<string, string>();

  public constructor(
    private readonly client: KubernetesClient,
    private readonly namespace: string,
    private readonly instance: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  public async warn(regarding: Regarding, reason: string, note: string): Promise<void> {
    const said = `${reason} ${note}`;
    if (this.told.get(regarding.uid) === said) return;
    this.forget(regarding.uid);
    if (this.told.size >= REMEMBERED) this.forget(this.told.keys().next().value!);
    this.told.set(regarding.uid, said);
    try {
      await this.client.create(`/apis/events.k8s.io/v1/namespaces/${this.namespace}/events`, {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: `${regarding.name.slice(0, 200)}.${randomBytes(8).toString('hex')}`, namespace: this.namespace },
        eventTime: new Date().toISOString().replace('Z', '000Z'),
        reportingController: FIELD_MANAGER,
        reportingInstance: this.instance,
        action: 'Reconcile',
        type: 'Warning',
        reason,
        note: note.slice(0, 1000),
        regarding: { apiVersion: regarding.kind === 'Cache' ? CACHE_API : 'v1', kind: regarding.kind, name: regarding.name, namespace: this.namespace, uid: regarding.uid },
      });
    } catch (error) {
      // Nothing depends on it: the log has it, too.
      this.failed(error);
    }
  }

  /** All is well, or it is gone: what comes next is told again. */
  public forget(uid: string) {
    this.told.delete(uid);
  }
}
