import { execFileSync } from 'child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { request } from 'http';
import { tmpdir } from 'os';
import { join } from 'path';
import { Daemon } from '../../rig/daemon';
import { freePort } from '../../support/http';

const LIB = join(__dirname, '..', '..', '..', '.tools', 'infinispan', 'lib');

/** What the server's own scripts give Java. */
const JAVA_OPTIONS = [
  '-Djava.net.preferIPv4Stack=true', '--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED', '--add-opens=java.base/java.util=ALL-UNNAMED',
  '--add-opens=java.base/java.util.concurrent=ALL-UNNAMED',
];

export const USER = 'admin';
export const PASSWORD = 'secret';

export interface InfinispanOptions {
  /** How users may say who they are; the order is the server's. */
  readonly mechanisms?: string;
  /** Certificate and key in one file of PEM. */
  readonly keystore?: string;
  /** Caches that are there from the start: thousands take minutes to be made one by one. */
  readonly caches?: readonly string[];
}

interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks as the administrator, by the path as it is: `fetch` would take the cache `..` for a way up. */
export async function ask(url: string, path: string, { method = 'GET', headers, body }: Question = {}): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path: `/rest/v2${path}`, method, headers: { authorization, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => text += chunk).on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject);
    });
    outgoing.on('error', reject).end(body);
  });
}

/** A real Infinispan server on loopback, whose caches are local and outlive it. */
export class Infinispan {
  public static async start(options: InfinispanOptions = {}): Promise<Infinispan> {
    requireInfinispan();
    const server = new Infinispan(await freePort(), options);
    try {
      await server.untilReady();
      return server;
    } catch (error) {
      await server.clean();
      throw error;
    }
  }

  public readonly folder = mkdtempSync(join(tmpdir(), 'infinispan-'));
  public readonly daemon: Daemon;
  public readonly url: string;

  private constructor(public readonly port: number, { mechanisms = 'BASIC DIGEST', keystore, caches = [] }: InfinispanOptions) {
    for (const name of ['conf', 'data', 'log', 'lib']) mkdirSync(join(this.folder, name));
    const conf = (name: string, text: string) => writeFileSync(join(this.folder, 'conf', name), text);
    conf('users.properties', `${USER}=${PASSWORD}\n`);
    conf('groups.properties', `${USER}=admin\n`);
    conf('log4j2.xml', LOGGING);
    if (keystore) conf('keystore.pem', keystore);
    conf('infinispan.xml', serverConfiguration(mechanisms, keystore !== undefined, caches));
    this.url = `${keystore ? 'https' : 'http'}://127.0.0.1:${port}`;
    this.daemon = new Daemon({
      name: 'infinispan',
      command: [
        'java', `-Xmx${512 + caches.length / 4}m`, ...JAVA_OPTIONS, `-Dinfinispan.server.home.path=${this.folder}`, `-Dinfinispan.server.root.path=${this.folder}`,
        '-cp', join(LIB, 'launch.jar'), 'Launch', LIB,
        `--server-config=${join(this.folder, 'conf', 'infinispan.xml')}`, `--logging-config=${join(this.folder, 'conf', 'log4j2.xml')}`, '--bind-address=127.0.0.1', `--bind-port=${port}`,
      ],
      logs: this.folder,
    });
  }

  public async ask(path: string, question?: Question): Promise<Answer> {
    return ask(this.url, path, question);
  }

  public async create(name: string, configuration: object = { 'local-cache': {} }) {
    await this.must(200, `/caches/${encodeURIComponent(name)}`, 'POST', configuration);
  }

  /** Changes what can be changed of a cache that is there. */
  public async update(name: string, configuration: object) {
    await this.must(200, `/caches/${encodeURIComponent(name)}`, 'PUT', configuration);
  }

  public async remove(name: string) {
    await this.must(200, `/caches/${encodeURIComponent(name)}`, 'DELETE');
  }

  /** Removes every cache but the server's own. */
  public async clear() {
    const names = await this.names();
    for (let index = 0; index < names.length; index += 20) await Promise.all(names.slice(index, index + 20).map(async (name) => this.remove(name)));
  }

  /** Names of all caches but the server's own. */
  public async names(): Promise<string[]> {
    const names: string[] = JSON.parse((await this.ask('/caches')).text);
    return names.filter((name) => !name.startsWith('___')).sort();
  }

  public async untilReady() {
    // TLS is not verified by `fetch`, so there the log tells.
    await this.daemon.until('ready', async () => this.url.startsWith('https')
      ? this.daemon.logTail().includes('ISPN080001')
      : await (await fetch(`${this.url}/rest/v2/container/health/status`)).text() === 'HEALTHY', 90);
  }

  public async restart(signal: NodeJS.Signals) {
    await this.daemon.stop(signal, 30);
    this.daemon.start();
    await this.untilReady();
  }

  public async clean() {
    await this.daemon.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async must(status: number, path: string, method: string, body?: object) {
    const answer = await this.ask(path, { method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) });
    if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  }
}

/** Fails when the server, or Java, is missing. */
function requireInfinispan() {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    execFileSync('test', ['-f', join(LIB, 'launch.jar')]);
  } catch {
    throw new Error(`the Infinispan server is missing in ${LIB}, or java on the PATH: run \`npm run tools\` first`);
  }
}

const LOGGING = `<Configuration>
  <Appenders><Console name="STDOUT"><PatternLayout pattern="%d{HH:mm:ss,SSS} %-5p [%c] %m%throwable%n"/></Console></Appenders>
  <Loggers><Root level="INFO"><AppenderRef ref="STDOUT"/></Root></Loggers>
</Configuration>
`;

function serverConfiguration(mechanisms: string, tls: boolean, caches: readonly string[]): string {
  const ssl = '<server-identities><ssl><keystore path="keystore.pem" type="pem"/></ssl></server-identities>';
  return `<infinispan>
  <cache-container name="default" statistics="true">
    <security><authorization/></security>
    <global-state unclean-shutdown-action="IGNORE"/>
    ${caches.map((name) => `<local-cache name="${name}" simple-cache="true" statistics="false"/>`).join('')}
  </cache-container>
  <server>
    <interfaces><interface name="public"><inet-address value="\${infinispan.bind.address:127.0.0.1}"/></interface></interfaces>
    <socket-bindings default-interface="public" port-offset="0"><socket-binding name="default" port="\${infinispan.bind.port:11222}"/></socket-bindings>
    <security><security-realms><security-realm name="default">
      ${tls ? ssl : ''}
      <properties-realm groups-attribute="Roles">
        <user-properties path="users.properties" plain-text="true"/><group-properties path="groups.properties"/>
      </properties-realm>
    </security-realm></security-realms></security>
    <endpoints><endpoint socket-binding="default" security-realm="default">
      <rest-connector name="rest"><authentication mechanisms="${mechanisms}"/></rest-connector>
    </endpoint></endpoints>
  </server>
</infinispan>
`;
}
