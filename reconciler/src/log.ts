import { ConfigReconcilerLogLevel } from '../../lib/cache-cluster/reconciler/config-policies';

export type LogLevel = `${ConfigReconcilerLogLevel}`;
/** The later, the graver. */
export const LOG_LEVELS: LogLevel[] = Object.values(ConfigReconcilerLogLevel);

export type Facts = Record<string, string | number | boolean | undefined>;

/** One JSON object a line. Facts are named one by one, so that no secret gets in by an object that holds one. */
export class Log {
  public constructor(
    private readonly threshold: { level: LogLevel },
    private readonly facts: Facts = {},
    private readonly write: (line: string) => void = (line) => process.stdout.write(line),
  ) {}

  /** A log that adds facts to every line. */
  public with(facts: Facts): Log {
    return new Log(this.threshold, { ...this.facts, ...facts }, this.write);
  }

  /** Of this log, and of all that were made of it. */
  public set(level: LogLevel) {
    this.threshold.level = level;
  }

  public debug(message: string, facts?: Facts) {
    this.line('debug', message, facts);
  }

  public info(message: string, facts?: Facts) {
    this.line('info', message, facts);
  }

  public warn(message: string, facts?: Facts) {
    this.line('warn', message, facts);
  }

  public error(message: string, facts?: Facts) {
    this.line('error', message, facts);
  }

  private line(level: LogLevel, message: string, facts?: Facts) {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.threshold.level)) return;
    this.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...this.facts, ...facts })}\n`);
  }
}

/** What an error says. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node joins the addresses that it tried to an error without a text.
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
