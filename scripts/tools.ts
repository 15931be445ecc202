/**
 * Brings what npm lacks into `.tools/bin`: programs built from Go modules at the versions that `tools/<name>/go.mod`
 * pins and `go.sum` seals. What is there already and up to date is left alone.
 */
import { spawn } from 'child_process';
import { createHash } from 'crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';

interface GoTool {
  /** Folder of the wrapper module, and name of the program. */
  readonly name: string;
  readonly package: string;
  /** How long a cold build takes on two cores. */
  readonly seconds: number;
}

const GO_TOOLS: GoTool[] = [
  { name: 'opa', package: 'github.com/open-policy-agent/opa', seconds: 90 },
];

const ROOT = join(__dirname, '..');
const BIN = join(ROOT, '.tools', 'bin');
/** Static and without traces of the machine. */
const BUILD_FLAGS = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w'];

async function main() {
  mkdirSync(BIN, { recursive: true });
  for (const tool of GO_TOOLS) await buildGoTool(tool);
}

async function buildGoTool(tool: GoTool) {
  const module = join(ROOT, 'tools', tool.name);
  const program = join(BIN, tool.name);
  const stampFile = join(ROOT, '.tools', `${tool.name}.stamp`);
  const stamp = createHash('sha256')
    .update(readFileSync(join(module, 'go.mod')))
    .update(readFileSync(join(module, 'go.sum')))
    .update(BUILD_FLAGS.join(' '))
    .digest('hex');
  if (existsSync(program) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    console.log(`${tool.name}: up to date`);
    return;
  }
  console.log(`${tool.name}: building (about ${tool.seconds} s when nothing is cached)`);
  const started = Date.now();
  await run('go', ['build', ...BUILD_FLAGS, '-o', program, tool.package], module, (seconds) => {
    console.log(`${tool.name}: still building after ${seconds} s`);
  });
  writeFileSync(stampFile, stamp);
  console.log(`${tool.name}: built in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Runs a command, with a sign of life every 15 seconds. */
async function run(command: string, args: string[], cwd: string, alive: (seconds: number) => void) {
  const started = Date.now();
  const timer = setInterval(() => alive(Math.round((Date.now() - started) / 1000)), 15_000);
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' } });
      child.on('error', (error) => reject(new Error(`cannot run ${command}, which must be on the PATH: ${error.message}`)));
      child.on('exit', (code) => code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} failed with exit code ${code}`)));
    });
  } finally {
    clearInterval(timer);
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
