import { spawnSync } from 'child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { foreignModules } from './declarations';
import { packLibrary, ROOT } from './pack';

const { name: NAME, peerDependencies } = readPackage(ROOT);

const directory = mkdtempSync(join(tmpdir(), 'tarball-'));
const app = join(directory, 'app');
const installed = join(app, 'node_modules', NAME);
let tarballBytes: number;

/** An empty app that has installed the library, with the lowest versions of its peers that it allows. */
beforeAll(() => {
  const { tarball } = packLibrary(directory);
  tarballBytes = statSync(tarball).size;
  const floors = Object.fromEntries(Object.entries<string>(peerDependencies).map(([peer, range]) => [peer, range.replace(/^\^/, '')]));
  const typescript = readPackage(join(ROOT, 'node_modules', 'typescript')).version;
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, dependencies: { ...floors, typescript, [NAME]: `file:${tarball}` } }));
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
}, 180_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('holds the compiled library and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual(['.jsii', 'LICENSE', 'README.md', 'build', 'package.json']);
  const files = readdirSync(join(installed, 'build'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).filter((name) => !/(\.js|\.d\.ts)$/.test(name))).toEqual([]);
});

test('is small', () => {
  console.info(`the tarball has ${tarballBytes} bytes`);
  expect(tarballBytes).toBeLessThan(300_000);
});

test('brings no packages of its own', () => {
  const { dependencies, bundledDependencies } = readPackage(installed);
  expect({ ...dependencies, ...bundledDependencies }).toEqual({});
});

test('has declarations that name no modules but its peers', () => {
  const modules = foreignModules(join(installed, readPackage(installed).types));
  expect(Object.keys(modules)).toContain('cdk8s');
  expect(Object.entries(modules).filter(([module]) => !(module in peerDependencies))).toEqual([]);
});

test('runs the examples of the README: a whole app, and within it the one that only shows an agent and a client', () => {
  const [first, whole] = readmeExamples();
  expect(whole).toContain('app.synth();');
  writeFileSync(join(app, 'main.ts'), `import { OpaEngine } from '${NAME}';\n${whole.replace('app.synth();', `${first}app.synth();`)}`);
  mkdirSync(join(app, 'policies'));
  writeFileSync(join(app, 'policies', 'document.yaml'), '# none\n');
  run(process.execPath, 'node_modules/typescript/bin/tsc', '--strict', '--skipLibCheck', 'false', 'main.ts');
  run(process.execPath, 'main.js');
  const manifests = readdirSync(join(app, 'dist')).map((file) => readFileSync(join(app, 'dist', file), 'utf8'));
  const objects = manifests.flatMap((yaml) => parseAllDocuments(yaml)).map((document) => document.toJS());
  const { initContainers, containers } = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.includes('web')).spec.template.spec;
  expect(initContainers.map((container: any) => container.name)).toContain('cerbos-cerbos');
  expect(containers[0].env.map((variable: any) => variable.name)).toEqual(expect.arrayContaining(['OPA_URL', 'CERBOS_HTTP']));
}, 60_000);

function readmeExamples(): string[] {
  return [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example]) => example);
}

/** Runs a program in the app; the error that it throws holds all that the program said. */
function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: app, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}

function readPackage(folder: string): any {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
