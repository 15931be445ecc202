import { ApiError, KubernetesClient, WatchEvent } from './kubernetes-client';
import { backOffMs, pause } from '../work/back-off';

export interface WatchHandler<T> {
  /** An object is there, new or changed. */
  readonly put: (object: T) => void;
  readonly remove: (object: T) => void;
  /** All that is there has been put; `uids` of it, where all of it was listed anew. */
  readonly listed: (uids: Set<string>) => void;
  /** What went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

export interface WatchOptions {
  readonly path: string;
  /** Selectors. */
  readonly query?: Record<string, string>;
  /** After how many seconds the API server ends a watch, which is then taken up where it ended; up to twice as many. @default 300 */
  readonly seconds?: number;
}

const BACK_OFF = { firstMs: 200, longestMs: 30_000 };
/** What was asked for is not known any more. */
const GONE = 410;

/** Keeps up with a collection: lists it once, and then follows it by watches, each of which goes on where the last one ended. */
export class Watcher<T> {
  private version?: string;

  public constructor(private readonly client: KubernetesClient, private readonly options: WatchOptions, private readonly handler: WatchHandler<T>) {}

  /** Follows until the signal comes. */
  public async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        if (this.version === undefined) await this.list();
        await this.watch(signal, () => failures = 0);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === GONE) this.version = undefined;
        failures++;
        this.handler.failed(error);
        await pause(Math.max(backOffMs(failures, BACK_OFF), (error as ApiError).retryAfterMs ?? 0), signal);
      }
    }
  }

  private async list() {
    const uids = new Set<string>();
    const { path, query = {} } = this.options;
    this.version = await this.client.list(path, query, (object) => {
      uids.add(object.metadata.uid);
      this.handler.put(object);
    });
    this.handler.listed(uids);
  }

  private async watch(signal: AbortSignal, alive: () => void) {
    const { path, query, seconds = 300 } = this.options;
    const timeoutSeconds = String(Math.round(seconds * (1 + Math.random())));
    const started = performance.now();
    await this.client.watch(path, { ...query, timeoutSeconds, resourceVersion: this.version! }, (event) => {
      alive();
      this.take(event);
    }, signal);
    // One that is ended at once, again and again, must not become a loop.
    if (performance.now() - started < 1000) await pause(500, signal);
  }

  private take({ type, object }: WatchEvent) {
    if (type === 'ERROR') throw new ApiError(object.code, object.message);
    this.version = object.metadata.resourceVersion;
    if (type === 'DELETED') this.handler.remove(object);
    else if (type !== 'BOOKMARK') this.handler.put(object);
  }
}
