import { ServerEvent } from './event-reader';
import { InfinispanClient, ServerError } from './infinispan-client';
import { backOffMs, pause } from '../work/back-off';

export interface StreamHandler {
  readonly event: (event: ServerEvent) => void;
  /** Only the beginning of an event was kept. `after` is the type of the one before. */
  readonly cut: (after: string) => void;
  /** From now on all is told, and nothing of what was before: all is to be looked at. When that fails, the stream is opened anew. */
  readonly opened: (signal: AbortSignal) => Promise<void>;
  /** It ended, with an error or in good order, and is opened again soon. */
  readonly ended: (error?: unknown) => void;
}

const RECONNECT = { firstMs: 100, longestMs: 5_000 };
/** Who is not let in must not knock all the time. */
const NOT_LET_IN = { firstMs: 10_000, longestMs: 120_000 };
/** A stream that lasted so long was no failure. */
const LASTING_MS = 10_000;
/** The stream is open, but nothing comes: after so long it is taken to listen. */
const SILENT_MS = 5_000;

/** The events of one address: a connection that is opened again however it ends. */
export class EventStream {
  private isOpen = false;
  private connection?: AbortController;

  /** @param connect Makes a client, for each connection a new one, for what it trusts may have changed. */
  public constructor(private readonly connect: () => InfinispanClient, private readonly handler: StreamHandler) {}

  public get open(): boolean {
    return this.isOpen;
  }

  /** Listens until the signal comes. */
  public async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const started = performance.now();
      let error: unknown;
      try {
        await this.listen(signal);
      } catch (thrown) {
        error = thrown;
      }
      this.isOpen = false;
      this.handler.ended(signal.aborted ? undefined : error);
      failures = performance.now() - started > LASTING_MS ? 1 : failures + 1;
      await pause(backOffMs(failures, error instanceof ServerError && error.unauthorized ? NOT_LET_IN : RECONNECT), signal);
    }
  }

  /** Ends the connection, for a reason that decides when the next one is opened. */
  public end(reason: ServerError) {
    this.connection?.abort(reason);
  }

  private async listen(signal: AbortSignal) {
    const connection = this.connection = new AbortController();
    const stop = () => connection.abort();
    signal.addEventListener('abort', stop);
    try {
      await this.follow(connection);
    } catch (error) {
      if (!connection.signal.aborted) throw error;
      if (connection.signal.reason instanceof ServerError) throw connection.signal.reason;
    } finally {
      signal.removeEventListener('abort', stop);
      connection.abort();
    }
  }

  private async follow(connection: AbortController) {
    const client = this.connect();
    let listens: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => listens = resolve);
    const stream = client.listen({
      event: (event) => {
        listens();
        this.handler.event(event);
      },
      ignored: listens,
      // It names nothing, so everything is looked at. Opening the stream anew could bring it again, without end.
      unreadable: () => void this.handler.opened(connection.signal).catch(() => connection.abort()),
      cut: (after) => this.handler.cut(after),
    }, connection.signal);
    // Its end is awaited below, but may come before.
    const ended = stream.then(() => true, () => true);
    try {
      const silent = pause(SILENT_MS, connection.signal);
      if (!await Promise.race([listening, silent, ended])) {
        this.isOpen = true;
        await this.handler.opened(connection.signal);
      }
      await stream;
    } finally {
      client.close();
    }
  }
}
