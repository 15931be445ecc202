import { execFileSync } from 'child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'fs';
import { basename, dirname, join } from 'path';

/** The repository. */
export const ROOT = join(__dirname, '..', '..');

/** What is made from the rest, or belongs to no package in any case. */
const LEFT_OUT = new Set(['.git', '.jsii', '.tools', 'build', 'coverage', 'dist', 'node_modules']);

/** A package as `npm publish` and jsii know it. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

/**
 * Packs this library in a copy below `directory`, so that neither a run of the tests nor an edit meanwhile disturbs the
 * other. Takes about 10 s.
 */
export function packLibrary(directory: string): PackedPackage {
  const copy = join(directory, 'repository');
  cpSync(ROOT, copy, { recursive: true, filter: (path) => dirname(path) !== ROOT || !LEFT_OUT.has(basename(path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  runNode(copy, 'jsii/bin/jsii', '--silence-warnings=reserved-word');
  runNode(copy, 'jsii-pacmak/bin/jsii-pacmak', '--target=js', '--outdir=dist');
  const dist = join(copy, 'dist', 'js');
  return { ...identity(copy), tarball: join(dist, readdirSync(dist)[0]) };
}

/** Packs packages as they are installed in the repository, what they bundle included. */
export function packInstalled(directory: string, names: string[]): PackedPackage[] {
  const destination = join(directory, 'installed');
  mkdirSync(destination);
  // npm finds no bundled packages through a symbolic link.
  const folders = names.map((name) => realpathSync(join(ROOT, 'node_modules', name)));
  const args = ['pack', '--json', '--ignore-scripts', `--pack-destination=${destination}`, ...folders];
  const packed: { filename: string }[] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
  return folders.map((folder, index) => ({ ...identity(folder), tarball: join(destination, packed[index].filename) }));
}

function identity(folder: string) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version };
}

function runNode(cwd: string, program: string, ...args: string[]) {
  execFileSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20' },
  });
}
