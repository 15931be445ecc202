import { mkdirSync, readFileSync, rmSync } from 'fs';
import { join } from 'path';
import { ROOT, run, Step, TOOLS } from './step';

const SOURCES = join(ROOT, 'tools', 'infinispan');
const FOLDER = join(TOOLS, 'infinispan');
const JARS = join(FOLDER, 'lib');
const JRE = join(FOLDER, 'jre');
/** What the server uses of Java, for an image. */
const MODULES = ['java.se', 'jdk.unsupported', 'jdk.crypto.ec', 'jdk.naming.dns', 'jdk.security.auth', 'jdk.zipfs', 'jdk.management', 'jdk.net'];
const JAVA = ['Launch', 'org/infinispan/server/loader/LogManager', 'org/infinispan/server/loader/ServerLoginModule'].map((name) => join(SOURCES, 'src', `${name}.java`));

/** The Infinispan server: its jars from Maven Central, and what starts them. Needs a JDK 17 and Maven. */
export const infinispanStep: Step = {
  name: 'infinispan',
  seconds: 120,
  inputs: [...[join(SOURCES, 'pom.xml'), ...JAVA].map((file) => readFileSync(file)), ...MODULES],
  outputs: [JARS, join(JARS, 'launch.jar'), JRE],
  run: async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    const classes = join(FOLDER, 'classes');
    mkdirSync(classes, { recursive: true });
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${JARS}`], { cwd: SOURCES });
    await run('javac', ['--release', '17', '-d', classes, ...JAVA], { cwd: SOURCES });
    await run('jlink', [`--add-modules=${MODULES.join(',')}`, '--strip-debug', '--no-header-files', '--no-man-pages', '--output', JRE], { cwd: SOURCES });
    await run('jar', ['--create', '--file', join(JARS, 'launch.jar'), '-C', classes, '.'], { cwd: SOURCES });
  },
};
