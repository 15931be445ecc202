import { EventStream } from './event-stream';
import { ServerError } from './infinispan-client';

interface Running {
  readonly stream: EventStream;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** The streams of a cluster: one to its address or, where each server tells only of what it did itself, one to each server. */
export class EventStreams {
  private readonly running = new Map<string, Running>();

  public constructor(private readonly make: (url: string) => EventStream) {}

  /** How many there are to be. */
  public get size(): number {
    return this.running.size;
  }

  public get open(): number {
    return [...this.running.values()].filter(({ stream }) => stream.open).length;
  }

  /** Whether nothing can happen without being told. */
  public get complete(): boolean {
    return this.size > 0 && this.open === this.size;
  }

  /** Listens to these addresses from now on; streams that are there go on undisturbed. Until the others have ended. */
  public async to(urls: string[]): Promise<void> {
    const leaving = [...this.running].filter(([url]) => !urls.includes(url));
    for (const [url, { stop }] of leaving) {
      this.running.delete(url);
      stop.abort();
    }
    for (const url of urls.filter((one) => !this.running.has(one))) {
      const [stream, stop] = [this.make(url), new AbortController()];
      this.running.set(url, { stream, stop, done: stream.run(stop.signal) });
    }
    await Promise.all(leaving.map(async ([, { done }]) => done));
  }

  /** Ends the connections, for a reason that decides when they are opened again. */
  public end(reason: ServerError) {
    for (const { stream } of this.running.values()) stream.end(reason);
  }
}
