import { execFileSync } from 'child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { dirname, join } from 'path';
import { parseAllDocuments } from 'yaml';

export const EXAMPLES_DIR = join(__dirname, '..', '..', 'examples');

/** Folders of the examples. */
export function exampleNames(): string[] {
  return readdirSync(EXAMPLES_DIR).filter((name) => existsSync(join(EXAMPLES_DIR, name, 'cdk8s.yaml')));
}

/** The objects of an example, made as its own `cdk8s.yaml` says. */
export function exampleObjects(name: string): any[] {
  const directory = join(EXAMPLES_DIR, name);
  const outdir = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    const cli = join(dirname(require.resolve('cdk8s-cli/package.json')), 'bin', 'cdk8s');
    execFileSync(process.execPath, [cli, 'synth', '--check-upgrade=false', '--output', outdir], { cwd: directory, stdio: 'pipe' });
    return readdirSync(outdir).flatMap((file) => parseAllDocuments(readFileSync(join(outdir, file), 'utf8')).map((document) => document.toJS()));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
