import { KubernetesClient } from './kubernetes-client';
import { KubernetesObject } from './objects';
import { Watcher } from './watcher';

/** One object by its name, as it is now. */
export class WatchedObject<T extends KubernetesObject> {
  private current?: T;
  private known = false;

  /**
   * @param path Of the collection.
   * @param changed Is called when the object is known, changed or gone.
   */
  public constructor(
    private readonly client: KubernetesClient,
    private readonly path: string,
    private readonly name: string,
    private readonly changed: () => void,
  ) {}

  /** Undefined when there is none. */
  public get value(): T | undefined {
    return this.current;
  }

  /** Whether `value` says what is there, and not only that nobody has looked. */
  public get seen(): boolean {
    return this.known;
  }

  public async run(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    const watcher = new Watcher<T>(this.client, { path: this.path, query: { fieldSelector: `metadata.name=${this.name}` } }, {
      put: (object) => {
        this.current = object;
        this.settled();
      },
      remove: () => {
        this.current = undefined;
        this.settled();
      },
      listed: (uids) => {
        if (uids.size === 0) this.current = undefined;
        this.settled();
      },
      failed,
    });
    await watcher.run(signal);
  }

  private settled() {
    this.known = true;
    this.changed();
  }
}
