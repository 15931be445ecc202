import { execFileSync } from 'child_process';
import { readdirSync } from 'fs';
import { join } from 'path';
import { BIN } from './daemon';
import { ImageSpec } from './image';

const TOOLS = join(BIN, '..');
const JRE = join(TOOLS, 'infinispan', 'jre');
const LIB = join(TOOLS, 'infinispan', 'lib');
const LAUNCH = join(__dirname, '..', '..', 'tools', 'infinispan', 'launch.sh');

/** The server under the name of the official image, whose arguments it takes: packed of a Java and the jars of Maven. */
export function infinispanImage(): ImageSpec {
  return {
    reference: 'quay.io/infinispan/server:15.2.6.Final',
    files: {
      '/opt/infinispan/bin/launch.sh': LAUNCH,
      ...filesIn(LIB, '/opt/infinispan/lib'),
      ...filesIn(JRE, '/jre'),
      ...sharedLibraries(['bin/java', 'lib/libjli.so', 'lib/libjava.so', 'lib/libnet.so', 'lib/libnio.so', 'lib/libzip.so', 'lib/server/libjvm.so'].map((file) => join(JRE, file))),
      ...Object.fromEntries(['sh', 'cat', 'dd', 'df', 'rm', 'sleep', 'tail', 'wget'].map((applet) => [`/bin/${applet}`, join(TOOLS, 'debian', 'bin', 'busybox')])),
    },
    entrypoint: ['/bin/sh', '/opt/infinispan/bin/launch.sh'],
  };
}

/** A client of caches on the Node that runs the tests: a program, bundled with what it needs. */
export function cacheClientImage(program: string): ImageSpec {
  return {
    reference: 'localhost/cache-client:1',
    files: {
      '/node': process.execPath,
      '/client.js': program,
      // The Hot Rod client reads them beside itself.
      ...filesIn(join(require.resolve('infinispan'), '..', 'lib', 'protostream'), '/protostream'),
      ...sharedLibraries([process.execPath]),
    },
    entrypoint: ['/node', '/client.js'],
  };
}

/** The stock image of Node, by the Node that runs the tests. */
export function nodeImage(reference: string): ImageSpec {
  return { reference, files: { '/node': process.execPath, ...sharedLibraries([process.execPath]) }, entrypoint: ['/node'] };
}

/** All files of a folder, at a place in an image. */
function filesIn(folder: string, place: string): Record<string, string> {
  return Object.assign({}, ...readdirSync(folder, { withFileTypes: true }).map((entry) => entry.isDirectory()
    ? filesIn(join(folder, entry.name), `${place}/${entry.name}`)
    : { [`${place}/${entry.name}`]: join(folder, entry.name) }));
}

/** What programs load of the machine, at the same place in an image. */
function sharedLibraries(programs: string[]): Record<string, string> {
  const output = execFileSync('ldd', programs).toString();
  const paths = [...output.matchAll(/(?:=> |^\s+)(\/lib\S+) \(/gm)].map(([, path]) => path);
  return Object.fromEntries(paths.map((path) => [path, path]));
}
