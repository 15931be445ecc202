import { spawn } from 'child_process';
import { createHash } from 'crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';

export const ROOT = join(__dirname, '..', '..');
/** Where everything goes; git ignores it. */
export const TOOLS = join(ROOT, '.tools');
/** Programs, to be run by their name. */
export const BIN = join(TOOLS, 'bin');

/** One thing that `npm run tools` brings. */
export interface Step {
  readonly name: string;
  /** How long it takes on two cores when nothing is cached. */
  readonly seconds: number;
  /** What the result depends on: when none of it has changed, the step is left out. */
  readonly inputs: (string | Buffer)[];
  /** Paths that must be there afterwards. */
  readonly outputs: string[];
  run(): Promise<void>;
}

/** Runs a step unless its outputs are there already, made of the same inputs. */
export async function bring(step: Step) {
  mkdirSync(BIN, { recursive: true });
  const stampFile = join(TOOLS, 'stamps', step.name);
  const stamp = step.inputs.reduce((hash, input) => hash.update(input).update('\0'), createHash('sha256')).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && step.outputs.every((path) => existsSync(path))) {
    console.log(`${step.name}: up to date`);
    return;
  }
  console.log(`${step.name}: about ${step.seconds} s when nothing is cached`);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const alive = setInterval(() => console.log(`${step.name}: at work for ${seconds()} s`), 20_000);
  try {
    await step.run();
  } finally {
    clearInterval(alive);
  }
  const missing = step.outputs.find((path) => !existsSync(path));
  if (missing) throw new Error(`${step.name} did not make ${missing}`);
  mkdirSync(join(TOOLS, 'stamps'), { recursive: true });
  writeFileSync(stampFile, stamp);
  console.log(`${step.name}: done in ${seconds()} s`);
}

/** Runs a command; what it prints is shown only when it fails. */
export async function run(command: string, args: string[], options: { cwd: string; env?: Record<string, string> }) {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => output += data);
    child.stderr.on('data', (data) => output += data);
    child.on('error', (error) => reject(new Error(`cannot run ${command}, which must be on the PATH: ${error.message}`)));
    child.on('exit', (code) => {
      if (code === 0) return resolve();
      reject(new Error(`${command} ${args.join(' ')} failed with exit code ${code}:\n${output.slice(-4000)}`));
    });
  });
}
