/** Synthesises every example to `dist/<example>/` and prints one table. */
import { spawnSync } from 'child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'fs';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(__dirname, '..');
const EXAMPLES = join(ROOT, 'examples');

interface Row {
  readonly example: string;
  readonly objects: string;
  readonly mode: string;
  readonly bytes: string;
  readonly time: string;
}

function main() {
  const examples = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'main.ts')));
  printTable(examples.map(synthesise));
}

/** Runs an example as `cdk8s synth` does. */
function synthesise(example: string): Row {
  const outdir = join(ROOT, 'dist', example);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const started = Date.now();
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: join(EXAMPLES, example), env: { ...process.env, CDK8S_OUTDIR: outdir }, stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`example ${example} failed`);
  const time = Date.now() - started;
  const texts = readdirSync(outdir).map((file) => readFileSync(join(outdir, file), 'utf8'));
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
  return {
    example,
    objects: countByKind(objects.map(({ kind }) => kind)),
    mode: [...new Set(objects.map(({ kind }) => kind).filter((kind) => ['DaemonSet', 'Deployment', 'StatefulSet', 'Infinispan'].includes(kind)))].join(', '),
    bytes: String(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)),
    time: `${time} ms`,
  };
}

function countByKind(kinds: string[]): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

function printTable(rows: Row[]) {
  const columns = ['example', 'objects', 'mode', 'bytes', 'time'] as const;
  const header = { example: 'example', objects: 'objects by kind', mode: 'deployment mode', bytes: 'bytes', time: 'time' };
  const widths = columns.map((column) => Math.max(...[header, ...rows].map((row) => row[column].length)));
  for (const row of [header, ...rows]) console.log(columns.map((column, index) => row[column].padEnd(widths[index])).join('  ').trimEnd());
}

main();
