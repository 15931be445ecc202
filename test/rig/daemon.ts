import { ChildProcess, spawn } from 'child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'fs';
import { join } from 'path';
import { eventually } from '../support/http';

/** Where `npm run tools` puts programs. */
export const BIN = join(__dirname, '..', '..', '.tools', 'bin');

/** Fails when a program is missing: a test that needs it must not pass without it. */
export function requireTools(names: string[]) {
  const missing = names.filter((name) => !existsSync(join(BIN, name)));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} missing in ${BIN}: run \`npm run tools\` first`);
}

export interface DaemonOptions {
  readonly name: string;
  readonly command: string[];
  /** Folder that gets `<name>.log`. */
  readonly logs: string;
  readonly env?: Record<string, string>;
  /** Command to run it in the namespaces of another process, say. */
  readonly prefix?: string[];
}

/**
 * A program in the background. The kernel kills it when the test process dies, however that happens, so nothing is left
 * behind.
 */
export class Daemon {
  public readonly logFile: string;
  private process!: ChildProcess;
  private exit!: Promise<void>;

  public constructor(private readonly options: DaemonOptions) {
    this.logFile = join(options.logs, `${options.name}.log`);
    this.start();
  }

  public get pid(): number {
    return this.process.pid!;
  }

  public get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  public start() {
    const { command, env, prefix = [] } = this.options;
    const log = openSync(this.logFile, 'a');
    const [program, ...args] = ['setpriv', '--pdeathsig', 'KILL', ...prefix, ...command];
    this.process = spawn(program, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, PATH: `${BIN}:${process.env.PATH}`, ...env },
      // Ctrl-C is for whoever started it, and stops it in order.
      detached: true,
    });
    closeSync(log);
    this.exit = new Promise((resolve) => this.process.on('exit', () => resolve()).on('error', () => resolve()));
  }

  /** Waits until something holds; when the program ends or time is up, the error shows the end of its log. */
  public async until(what: string, condition: () => Promise<unknown>, seconds = 60) {
    try {
      await eventually(what, async () => {
        if (!this.running) throw Object.assign(new Error('the program has ended'), { final: true });
        return condition();
      }, seconds);
    } catch (error) {
      throw new Error(`${this.options.name}: ${(error as Error).message}\n${this.logTail()}`);
    }
  }

  public logTail(): string {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-25).join('\n');
  }

  public async stop(signal: NodeJS.Signals = 'SIGTERM', patienceSeconds = 5) {
    if (!this.running) return;
    this.process.kill(signal);
    const killer = setTimeout(() => this.process.kill('SIGKILL'), patienceSeconds * 1000);
    await this.exit;
    clearTimeout(killer);
  }
}
