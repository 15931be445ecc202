import { execFileSync } from 'child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { find } from './synth';
import { Daemon } from '../rig/daemon';

const LIB = join(__dirname, '..', '..', '.tools', 'infinispan', 'lib');

/** What the server's own scripts give Java. */
export const JAVA_OPTIONS = [
  '-Djava.net.preferIPv4Stack=true', '--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED', '--add-opens=java.base/java.util=ALL-UNNAMED',
  '--add-opens=java.base/java.util.concurrent=ALL-UNNAMED',
];

export const USER = 'admin';
export const PASSWORD = 'secret';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

let offset = 0;

/** The real server, as the StatefulSet of a manifest starts it, with its paths and ports put elsewhere. */
export class InfinispanServer {
  /**
   * Starts a server.
   *
   * @param secrets Files by their path in the container.
   * @param folder What it writes is kept there for the next one.
   */
  public static async start(
    objects: any[], secrets: Record<string, string> = {}, folder = mkdtempSync(join(tmpdir(), 'infinispan-')),
  ): Promise<InfinispanServer> {
    const server = new InfinispanServer(objects, secrets, folder);
    try {
      await server.daemon.until('ready', async () => (await server.get('/rest/v2/container/health/status')).text === 'HEALTHY', 90);
      return server;
    } catch (error) {
      await server.stop();
      // What it died of stands far above the end of its log.
      const reasons = readFileSync(server.daemon.logFile, 'utf8').split('\n').filter((line) => line.includes('FATAL'));
      throw new Error(`${(error as Error).message}\n${reasons.pop() ?? ''}`);
    }
  }

  public readonly daemon: Daemon;
  /** Of clients. */
  public readonly port: number;

  private constructor(objects: any[], secrets: Record<string, string>, public readonly folder: string) {
    // Servers of several tests run side by side, and what one had is not at once free for the next.
    offset += 10;
    const shift = 10_000 + (process.pid % 200) * 100 + offset;
    this.port = 11_222 + shift;
    const { containers: [container], initContainers = [] } = find(objects, 'StatefulSet').spec.template.spec;
    const place = (text: string) => text
      .replaceAll('/etc/infinispan', join(folder, 'etc'))
      .replaceAll('/run/infinispan', join(folder, 'run'))
      .replaceAll('/opt/infinispan/server', folder)
      .replaceAll('$(POD_NAME)', 'server-0').replaceAll('$(POD_IP)', '127.0.0.1')
      .replace(/^-Djgroups\.dns\.query=.*/, '-Djgroups.dns.query=localhost')
      .replace('--bind-address=0.0.0.0', '--bind-address=127.0.0.1');
    for (const name of ['data', 'log', 'lib', 'conf', 'run', 'etc']) mkdirSync(join(folder, name), { recursive: true });
    const configuration = Object.entries<string>(find(objects, 'ConfigMap').data).map(([name, text]) => [`/etc/infinispan/${name}`, place(text)] as const);
    const users = { '/etc/infinispan-users/users.properties': `${USER}=${PASSWORD}\n`, '/etc/infinispan-users/groups.properties': `${USER}=admin\n` };
    for (const [path, text] of [...configuration, ...Object.entries({ ...users, ...secrets })]) {
      mkdirSync(join(place(path), '..'), { recursive: true });
      writeFileSync(place(path), text);
    }
    for (const { command: [shell, flag, script] } of initContainers) execFileSync(shell, [flag, place(script)]);
    this.daemon = new Daemon({
      name: 'infinispan',
      command: [
        'java', '-Xmx512m', ...JAVA_OPTIONS, `-Dinfinispan.server.home.path=${folder}`, `-Dinfinispan.server.root.path=${folder}`,
        '-cp', join(LIB, 'launch.jar'), 'Launch', LIB, ...container.args.map(place), `--port-offset=${shift}`,
      ],
      logs: folder,
    });
  }

  public async get(path: string): Promise<Answer> {
    return this.ask(path);
  }

  /** Asks the administrative port, as the user that may do everything. */
  public async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    const response = await fetch(`http://127.0.0.1:${this.port + 1}${path}`, { ...init, headers: { authorization, ...init.headers } });
    return { status: response.status, text: await response.text() };
  }

  /** Ends it in order, as the kubelet does. */
  public async stop() {
    await this.daemon.stop('SIGTERM', 30);
  }

  public clean() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Fails when the server, or Java, is missing. */
export function requireInfinispan() {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    execFileSync('test', ['-f', join(LIB, 'launch.jar')]);
  } catch {
    throw new Error(`the Infinispan server is missing in ${LIB}, or java on the PATH: run \`npm run tools\` first`);
  }
}
