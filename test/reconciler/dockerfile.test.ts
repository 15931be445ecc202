import { execFileSync } from 'child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { bundleReconciler } from '../../scripts/bundle-reconciler';

const ROOT = join(__dirname, '..', '..');
const lines = readFileSync(join(ROOT, 'reconciler', 'Dockerfile'), 'utf8').split('\n');
const all = (instruction: string) => lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));

test('what the Dockerfile copies is enough to bundle the program that the library embeds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dockerfile-'));
  try {
    for (const copy of all('COPY').filter((one) => !one.startsWith('--'))) {
      const paths = copy.split(' ').slice(0, -1);
      for (const path of paths) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const [command, ...rest] = all('RUN').at(-1)!.split(' ');
    const program = join(folder, 'program.js');
    execFileSync(command, [...rest.slice(0, -1), program], { cwd: folder });
    expect(readFileSync(program, 'utf8')).toBe(bundleReconciler());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what the Dockerfile copies passes .dockerignore', () => {
  const passed = readFileSync(join(ROOT, 'reconciler', 'Dockerfile.dockerignore'), 'utf8').trim().split('\n').filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(passed).toEqual(all('COPY').filter((one) => !one.startsWith('--')).flatMap((copy) => copy.split(' ').slice(0, -1)));
});
