import { spawnSync } from 'child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { packLibrary, ROOT } from './pack';

/** A block of the tutorial: a file with its name, or commands. */
interface Block {
  readonly file?: string;
  readonly text: string;
}

const directory = mkdtempSync(join(tmpdir(), 'tutorial-'));
let app: string;

/** Follows the tutorial word for word, but for the package, which is not taken from the registry, and for the cluster. */
beforeAll(() => {
  const { name, tarball } = packLibrary(directory);
  app = directory;
  for (const { file, text } of blocks()) {
    if (file) {
      writeFileSync(join(app, file), text);
    } else {
      const commands = text.split('\n').filter((line) => !/^(kubectl|curl) /.test(line)).join('\n').replace(` ${name}`, ` ${tarball}`);
      app = run(`${commands}\npwd`).trim().split('\n').pop()!;
    }
  }
}, 300_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('its app is synthesised', () => {
  const objects = readdirSync(join(app, 'dist')).flatMap((file) => parseAllDocuments(readFileSync(join(app, 'dist', file), 'utf8')));
  expect(objects.map((object) => object.toJS().kind)).toEqual(['ConfigMap', 'ConfigMap', 'DaemonSet', 'Service', 'ConfigMap']);
});

test('its test wrote a snapshot, and fails when a policy changes', () => {
  const policy = join(app, 'policies', 'authz.rego');
  expect(readFileSync(join(app, '__snapshots__', 'main.test.ts.snap'), 'utf8')).toContain('authz.rego');
  run('npx jest --ci');
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('alice', 'bob'));
  expect(() => run('npx jest --ci')).toThrow('bob');
}, 60_000);

function blocks(): Block[] {
  const tutorial = readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8');
  const pattern = /(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```$/gms;
  return [...tutorial.matchAll(pattern)].filter(([, file, language]) => file || language === 'shell').map(([, file, , text]) => ({ file, text }));
}

/** Runs commands where the app is; the error that it throws holds all that they said. */
function run(script: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', script], { cwd: app, encoding: 'utf8', env: { ...process.env, CI: undefined } });
  if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
