import { backOffMs, BackOffOptions } from './back-off';

export interface KeyedQueueOptions {
  readonly work: (key: string) => Promise<void>;
  /** A key failed and will be tried again. */
  readonly failed: (key: string, error: unknown, retryMs: number) => void;
  /** A key is done; after how many milliseconds since it was first added. */
  readonly done: (key: string, lagMs: number) => void;
  /** How many keys are worked at a time. */
  readonly width: number;
  readonly backOff: BackOffOptions;
}

/**
 * Keys that are to be worked: each at most once at a time, and once more when it was added meanwhile. A key that failed waits
 * for its time, whatever is added.
 */
export class KeyedQueue {
  /** Since when, in order. */
  private readonly waiting = new Map<string, number>();
  private readonly working = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private held = true;
  /** Times that everything was forgotten. */
  private clearings = 0;
  private drained: (() => void)[] = [];

  public constructor(private readonly options: KeyedQueueOptions) {}

  public get depth(): number {
    return this.waiting.size + this.working.size;
  }

  public add(key: string) {
    if (!this.waiting.has(key)) this.waiting.set(key, performance.now());
    this.start();
  }

  /** Starts nothing more until `release`. A new queue is held. */
  public hold() {
    this.held = true;
  }

  public release() {
    this.held = false;
    this.start();
    this.tellIfDrained();
  }

  /** Forgets everything; what is under way ends, and is not tried again. */
  public clear() {
    this.clearings++;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.failures.clear();
    this.waiting.clear();
    this.tellIfDrained();
  }

  /** Until every key has been worked or has failed once; while nothing is started, until what is under way has ended. */
  public async drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.drained.push(resolve);
      this.tellIfDrained();
    });
  }

  private start() {
    if (this.held || this.working.size >= this.options.width) return;
    for (const [key, since] of this.waiting) {
      if (this.working.has(key) || this.timers.has(key)) continue;
      this.waiting.delete(key);
      this.working.add(key);
      void this.run(key, since);
      if (this.working.size >= this.options.width) return;
    }
  }

  private async run(key: string, since: number) {
    const { clearings } = this;
    try {
      await this.options.work(key);
      this.failures.delete(key);
      this.options.done(key, performance.now() - since);
    } catch (error) {
      if (clearings !== this.clearings) return;
      const failures = (this.failures.get(key) ?? 0) + 1;
      const retryMs = Math.max(backOffMs(failures, this.options.backOff), (error as { retryAfterMs?: number }).retryAfterMs ?? 0);
      this.failures.set(key, failures);
      if (!this.waiting.has(key)) this.waiting.set(key, since);
      this.timers.set(key, setTimeout(() => {
        this.timers.delete(key);
        this.start();
      }, retryMs));
      this.options.failed(key, error, retryMs);
    } finally {
      this.working.delete(key);
      this.start();
      this.tellIfDrained();
    }
  }

  private tellIfDrained() {
    // Those that wait for another try do not count: one that never succeeds must not hide that the others have.
    const startable = this.held ? 0 : this.waiting.size - this.timers.size;
    if (this.working.size > 0 || startable > 0) return;
    for (const resolve of this.drained.splice(0)) resolve();
  }
}
