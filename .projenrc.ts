import { cdk8s, javascript, TaskShell } from 'projen';

const NAME = 'cdk8s-platform-services';

/** Newest served versions; the second run of the unit tests uses them in place of the floors. */
const NEWEST = { cdk8s: '2.70.106', constructs: '10.8.1' };

const project = new cdk8s.ConstructLibraryCdk8s({
  name: NAME,
  description: 'cdk8s constructs for policy agents (OPA, Cerbos) and caches (Infinispan) on Kubernetes',
  keywords: ['cdk8s', 'kubernetes', 'opa', 'open-policy-agent', 'cerbos', 'authorization', 'infinispan', 'cache'],
  author: `${NAME} maintainers`,
  authorAddress: `${NAME}@users.noreply.github.com`,
  repositoryUrl: `https://github.com/${NAME}/${NAME}.git`,
  license: 'Apache-2.0',
  defaultReleaseBranch: 'main',
  packageManager: javascript.NodePackageManager.NPM,
  projenrcTs: true,

  // `lib` stays pure TypeScript; what jsii compiles goes to `build`.
  srcdir: 'lib',
  libdir: 'build',
  entrypoint: 'build/index.js',
  minNodeVersion: '20.16.0',
  jsiiVersion: '~6.0.0',
  typescriptVersion: '~6.0.0',

  // The floors. cdk8s 2.68.12 is the lowest 2.68 release that the registry serves within the range of cdk8s-plus-28;
  // constructs 10.5.0 brought mixins.
  cdk8sVersion: '2.68.12',
  constructsVersion: '10.5.0',
  peerDeps: ['cdk8s-plus-28@^2.5.6'],
  devDeps: [
    '@cerbos/cerbos-linux-x64@0.55.0',
    '@cerbos/grpc@0.21.0',
    '@jsii/runtime@1.140.0',
    '@kubernetes/client-node@1.4.0',
    '@peculiar/x509@2.2.0',
    'ajv@8.20.0',
    'bcryptjs@3.0.3',
    'cdk8s-cli@2.207.60',
    // Clients of other versions than our own.
    'cdk8s-plus-32@2.5.92',
    'cdk8s-plus-33@2.5.57',
    'esbuild@0.28.2',
    'eventsource-parser@3.1.1',
    'fast-check@4.11.0',
    'fflate@0.8.3',
    'infinispan@0.16.3',
    'kubernetes-types@1.30.0',
    'reflect-metadata@0.2.2',
    'tsx@4.23.15',
    'yaml@2.9.1',
    `cdk8s-newest@npm:cdk8s@${NEWEST.cdk8s}`,
    `constructs-newest@npm:constructs@${NEWEST.constructs}`,
  ],

  publishToPypi: { distName: NAME, module: NAME.replaceAll('-', '_') },
  publishToMaven: { javaPackage: 'io.github.cdk8splatformservices', mavenGroupId: 'io.github.cdk8splatformservices', mavenArtifactId: NAME },

  github: false,
  release: false,
  buildWorkflow: false,
  depsUpgrade: false,
  sampleCode: false,
  integrationTestAutoDiscover: false,

  // Tests never rewrite a snapshot, and are type-checked.
  typecheckTests: true,
  jestOptions: {
    updateSnapshot: javascript.UpdateSnapshot.NEVER,
    junitReporting: false,
    jestConfig: {
      collectCoverage: false,
      testMatch: ['<rootDir>/@(test|examples)/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.real\\.test\\.ts$', '/test/(cluster|nodes)/'],
      moduleNameMapper: { [`^${NAME}$`]: '<rootDir>/lib' },
    },
  },
  // A test run changes nothing.
  eslintOptions: { dirs: ['lib'], devdirs: ['test', 'examples', 'bench', 'scripts', 'reconciler'], commandOptions: { fix: false } },
  gitignore: ['/.tools/', '/examples/*/dist/'],
});

// The matching kernel of this runtime is not served; the runtime is self-contained, so any kernel satisfies npm.
project.package.addField('overrides', { '@jsii/kernel': '1.22.0' });
project.package.addField('private', undefined);

// Source maps would be three quarters of the package.
project.tryFindObjectFile('tsconfig.json')?.addOverride('compilerOptions.inlineSourceMap', false);
project.tryFindObjectFile('tsconfig.json')?.addOverride('compilerOptions.inlineSources', false);

for (const dir of ['examples', 'bench', 'scripts', 'docs', 'tools', 'reconciler', '.ci']) {
  project.npmignore?.addPatterns(`/${dir}/`);
}
project.npmignore?.addPatterns('/.tools/', '/.eslintrc.json', '/tsconfig.*.json', '/projenrc/', '/CONTRIBUTING.md', '/API.md');

// The examples import the package by its name, as a user would.
new javascript.TypescriptConfig(project, {
  fileName: 'examples/tsconfig.json',
  extends: javascript.TypescriptConfigExtends.fromPaths(['../tsconfig.json']),
  include: ['**/*.ts'],
  compilerOptions: { noEmit: true, rootDir: '..', paths: { [NAME]: ['../lib'] } },
});
for (const folder of ['scripts', 'bench', 'reconciler']) {
  new javascript.TypescriptConfig(project, {
    fileName: `${folder}/tsconfig.json`,
    extends: javascript.TypescriptConfigExtends.fromPaths(['../tsconfig.json']),
    include: ['**/*.ts'],
    compilerOptions: { noEmit: true, rootDir: '..' },
  });
}

// Other languages need toolchains of their own: `package:code-only` shows that their bindings can be made.
project.packageTask.reset();
project.packageTask.spawn(project.tasks.tryFind('package:js')!);

// The examples import the package by its own name.
project.eslint?.addRules({ 'import/no-unresolved': ['error', { ignore: [`^${NAME}$`] }] });

// What was deleted in `lib` must not live on in `build`.
project.preCompileTask.exec('node -e "fs.rmSync(\'build\', { recursive: true, force: true })"');

// The library embeds the program, as a module like any other, so that whatever loads the library finds it. It is checked in: a
// fresh clone can be tested, type-checked and read at once, and the gate sees when it is not what its sources make.
const bundle = project.addTask('bundle:reconciler', {
  description: 'Bundle the config-reconciler into a module of the library',
  exec: 'tsx scripts/bundle-reconciler.ts',
});
project.preCompileTask.spawn(bundle);

const compile = project.tasks.tryFind('compile');
compile?.env('JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION', '20');
project.tasks.tryFind('docgen')?.env('JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION', '20');

project.addTask('synth', {
  description: 'Synthesise every example to dist/<example>/ and print one table',
  exec: 'tsx scripts/synth.ts',
  receiveArgs: true,
});
project.addTask('tools', {
  description: 'Bring what npm lacks into .tools/ (pinned, incremental)',
  exec: 'tsx scripts/tools/index.ts',
  receiveArgs: true,
});
project.addTask('test:real', {
  description: 'Tests against programs in .tools/ (fails when they are missing: run `npm run tools` first)',
  exec: 'jest --ci --config test/jest.real.config.js',
  receiveArgs: true,
});
project.addTask('test:faults', {
  description: 'The config-reconciler among faults: 200 rounds of each kind (FAULTS_ROUNDS, FAULTS_SEED)',
  exec: 'FAULTS_ROUNDS=${FAULTS_ROUNDS:-200} jest --ci --config test/jest.real.config.js test/reconciler/faults',
  // projen's own one knows no defaults.
  shell: TaskShell.system(),
  receiveArgs: true,
});
project.addTask('test:cluster', {
  description: 'Tests on a real control plane with many fake nodes',
  exec: 'jest --ci --config test/jest.cluster.config.js',
  receiveArgs: true,
});
project.addTask('test:nodes', {
  description: 'Tests on real nodes (needs root on Linux)',
  exec: 'jest --ci --config test/jest.nodes.config.js',
  receiveArgs: true,
});
project.addTask('cluster', {
  description: 'Start a real control plane with fake nodes, to try things on',
  exec: 'tsx test/rig/run-cluster.ts',
  receiveArgs: true,
});
project.addTask('nodes', {
  description: 'Start a real control plane with real nodes, to try things on (needs root on Linux)',
  exec: 'tsx test/rig/run-nodes.ts',
  receiveArgs: true,
});
project.addTask('release:freeze', {
  description: 'Keep the manifests of this release, which the tests of later ones apply theirs over',
  exec: 'tsx scripts/freeze-release.ts',
  receiveArgs: true,
});
project.addTask('test:newest', {
  description: 'Unit tests once more, with the newest served cdk8s and constructs',
  exec: 'jest --ci --config test/jest.newest.config.js',
  receiveArgs: true,
});
project.addTask('bench:synth', {
  description: 'Synth time of agents and clients against the same objects written by hand',
  steps: [{ spawn: 'pre-compile' }, { spawn: 'compile' }, { exec: 'node bench/synth.mjs', receiveArgs: true }],
});
project.addTask('bench:colocation', {
  description: 'Where the real scheduler puts clients on 1,000 fake nodes',
  exec: 'tsx bench/colocation.ts',
  receiveArgs: true,
});
project.addTask('bench:reconciler', {
  description: 'What the config-reconciler costs, and how fast it is, beside the upstream listener',
  exec: 'tsx bench/reconciler.ts',
  receiveArgs: true,
});
project.addTask('package:code-only', {
  description: 'Generate the bindings of every target language, without their toolchains',
  exec: 'jsii-pacmak -v --code-only',
});
for (const [config, what] of [['examples/tsconfig.json', 'examples'], ['scripts/tsconfig.json', 'scripts'], ['bench/tsconfig.json', 'benchmarks'], ['reconciler/tsconfig.json', 'config-reconciler']]) {
  project.testTask.prependExec(`tsc --noEmit -p ${config}`, { name: `Type-check the ${what}` });
}

project.synth();
