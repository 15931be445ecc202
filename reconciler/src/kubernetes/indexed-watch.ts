import { KubernetesClient } from './kubernetes-client';
import { KubernetesObject } from './objects';
import { IndexedRecord, RecordIndex } from './record-index';
import { Watcher, WatchOptions } from './watcher';
import { messageOf } from '../log';

export interface IndexedWatchOptions<O extends KubernetesObject, R extends IndexedRecord> extends WatchOptions {
  /** What is watched, for people. */
  readonly what: string;
  readonly index: RecordIndex<O, R>;
  /** The index holds what there is: for the first time, or after all was listed anew. */
  readonly listed?: () => void;
  readonly failed: (error: unknown) => void;
}

/** Has an index hold what there is. */
export class IndexedWatch<O extends KubernetesObject, R extends IndexedRecord> {
  /** Until the index holds all for the first time. */
  public readonly listed: Promise<void>;
  private readonly stopped = new AbortController();
  private readonly done: Promise<void>;
  private reason?: string;

  public constructor(kubernetes: KubernetesClient, private readonly options: IndexedWatchOptions<O, R>) {
    const { what, index, listed, failed } = options;
    this.reason = `${what} are not listed yet`;
    let all: () => void;
    this.listed = new Promise((resolve) => all = resolve);
    const watcher = new Watcher<O>(kubernetes, options, {
      put: (object) => index.put(object),
      remove: ({ metadata: { uid } }) => index.remove(uid),
      listed: (uids) => {
        index.keep(uids);
        this.reason = undefined;
        all();
        listed?.();
      },
      failed: (error) => {
        if (this.reason !== undefined) this.reason = `${what} cannot be listed: ${messageOf(error)}`;
        failed(error);
      },
    });
    this.done = watcher.run(this.stopped.signal);
  }

  /** Why nothing can begin; undefined once all is listed. */
  public get notReady(): string | undefined {
    return this.reason;
  }

  /** Stops watching. */
  public async stop() {
    this.stopped.abort();
    await this.done;
  }

  /** Stops, and has nothing be there any more. */
  public async forget() {
    await this.stop();
    this.options.index.keep(new Set());
  }
}
