import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { stringify } from 'yaml';
import { BIN, Daemon, requireTools } from './daemon';
import { Kubectl } from './kubectl';
import { Authority, generateKeyPair } from '../support/certificates';
import { eventually, freePort } from '../support/http';

export interface ControlPlaneOptions {
  /** The API server's address; free ports on loopback unless the control plane has a network of its own. */
  readonly address?: string;
  readonly apiPort?: number;
  /** Command to run everything in another network. */
  readonly prefix?: string[];
  /** Older Kubernetes version that the API server is to behave like, such as `1.34`. */
  readonly emulatedVersion?: string;
  /** Further arguments of the API server. */
  readonly apiServerArgs?: string[];
  /** Further arguments of the controllers. */
  readonly controllerArgs?: string[];
  /** Only etcd and the API server: nothing happens to what is applied. */
  readonly apiOnly?: boolean;
  /** How long a node may be silent. */
  readonly nodeGraceSeconds?: number;
}

/** Cluster addresses of Services. */
export const SERVICE_CIDR = '10.96.0.0/16';

const LOOPBACK = '127.0.0.1';

/** The real etcd, API server, controllers and scheduler, as plain processes. */
export class ControlPlane {
  /** Starts everything and waits until it is ready. */
  public static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    requireTools(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']);
    const plane = new ControlPlane(options);
    try {
      await plane.startAll();
      return plane;
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  public readonly directory = mkdtempSync(join(tmpdir(), 'control-plane-'));
  public readonly address: string;
  public port!: number;
  public kubectl!: Kubectl;
  public authority!: Authority;
  private readonly daemons: Daemon[] = [];

  private constructor(private readonly options: ControlPlaneOptions) {
    this.address = options.address ?? LOOPBACK;
    for (const folder of ['pki', 'logs']) mkdirSync(join(this.directory, folder));
  }

  public get logs(): string {
    return join(this.directory, 'logs');
  }

  public get adminKubeconfig(): string {
    return join(this.directory, 'admin.kubeconfig');
  }

  public pki(name: string): string {
    return join(this.directory, 'pki', name);
  }

  /** A program in the control plane's network. */
  public daemon(name: string, command: string[], env?: Record<string, string>): Daemon {
    const daemon = new Daemon({ name, command, logs: this.logs, prefix: this.options.prefix, env });
    this.daemons.push(daemon);
    return daemon;
  }

  /** Waits until something holds in the cluster. */
  public async until(what: string, condition: () => Promise<unknown>, seconds = 60) {
    await eventually(what, condition, seconds);
  }

  /** Makes a user: a certificate, and a kubeconfig with it. */
  public async user(name: string, commonName: string, organization?: string): Promise<string> {
    const { cert, key } = await this.authority.issue(commonName, [], [], organization);
    this.write(`${name}.crt`, cert);
    this.write(`${name}.key`, key);
    const path = join(this.directory, `${name}.kubeconfig`);
    writeFileSync(path, stringify({
      'apiVersion': 'v1',
      'kind': 'Config',
      'clusters': [{ name: 'rig', cluster: { 'server': `https://${this.address}:${this.port}`, 'certificate-authority': this.pki('ca.crt') } }],
      'users': [{ name, user: { 'client-certificate': this.pki(`${name}.crt`), 'client-key': this.pki(`${name}.key`) } }],
      'contexts': [{ name: 'rig', context: { cluster: 'rig', user: name } }],
      'current-context': 'rig',
    }));
    return path;
  }

  /** Stops everything; removes what it wrote. */
  public async stop() {
    // Nothing of it is needed any more, so nothing need end in order.
    await Promise.all(this.daemons.map(async (daemon) => daemon.stop('SIGKILL')));
    rmSync(this.directory, { recursive: true, force: true });
  }

  public write(name: string, text: string) {
    writeFileSync(this.pki(name), text, { mode: 0o600 });
  }

  private async startAll() {
    const own = this.options.prefix !== undefined;
    const [clientPort, peerPort, apiPort] = own ? [2379, 2380, 6443] : await Promise.all([freePort(), freePort(), freePort()]);
    this.port = this.options.apiPort ?? apiPort;
    const etcd = this.startEtcd(clientPort, peerPort);
    await this.makePki();
    // The API server reads the certificate of the administrator, too, by which it asks kubelets.
    this.kubectl = new Kubectl(await this.user('admin', 'admin', 'system:masters'), this.options.prefix);
    const apiServer = this.startApiServer(clientPort);
    await apiServer.until('ready', async () => (await this.kubectl.try(['get', '--raw', '/readyz'])).stdout === 'ok', 90)
      .catch((error: Error) => {
        throw new Error(`${error.message}\netcd:\n${etcd.logTail()}`);
      });
    if (this.options.apiOnly) return;
    await this.startControllers(own);
    await this.startScheduler(own);
    await apiServer.until('namespace default', async () => this.kubectl.get('serviceaccount', 'default', 'default'));
  }

  private startEtcd(clientPort: number, peerPort: number): Daemon {
    const [client, peer] = [`http://${LOOPBACK}:${clientPort}`, `http://${LOOPBACK}:${peerPort}`];
    return this.daemon('etcd', [
      join(BIN, 'etcd'), '--name=rig', `--data-dir=${join(this.directory, 'etcd')}`,
      `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=rig=${peer}`,
      '--unsafe-no-fsync', '--quota-backend-bytes=4294967296',
    ]);
  }

  private async makePki() {
    this.authority = await Authority.create('rig');
    this.write('ca.crt', this.authority.cert);
    const apiServer = await this.authority.issue(
      'kube-apiserver', ['localhost', 'kubernetes.default.svc'], [...new Set([LOOPBACK, this.address, '10.96.0.1'])],
    );
    this.write('apiserver.crt', apiServer.cert);
    this.write('apiserver.key', apiServer.key);
    const front = await this.authority.issue('front-proxy-client');
    this.write('front.crt', front.cert);
    this.write('front.key', front.key);
    const accounts = await generateKeyPair();
    this.write('sa.pub', accounts.publicKey);
    this.write('sa.key', accounts.privateKey);
  }

  private startApiServer(etcdPort: number): Daemon {
    return this.daemon('kube-apiserver', [
      join(BIN, 'kube-apiserver'), `--etcd-servers=http://${LOOPBACK}:${etcdPort}`,
      `--bind-address=${this.address}`, `--secure-port=${this.port}`, `--advertise-address=${this.address}`,
      ...(this.options.prefix ? [] : ['--endpoint-reconciler-type=none']),
      `--tls-cert-file=${this.pki('apiserver.crt')}`, `--tls-private-key-file=${this.pki('apiserver.key')}`, `--client-ca-file=${this.pki('ca.crt')}`,
      `--kubelet-client-certificate=${this.pki('admin.crt')}`, `--kubelet-client-key=${this.pki('admin.key')}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${this.pki('sa.pub')}`,
      `--service-account-signing-key-file=${this.pki('sa.key')}`,
      `--proxy-client-cert-file=${this.pki('front.crt')}`, `--proxy-client-key-file=${this.pki('front.key')}`,
      `--requestheader-client-ca-file=${this.pki('ca.crt')}`, '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--authorization-mode=Node,RBAC', `--service-cluster-ip-range=${SERVICE_CIDR}`, '--allow-privileged=true',
      ...(this.options.emulatedVersion ? [`--emulated-version=${this.options.emulatedVersion}`] : []),
      ...(this.options.apiServerArgs ?? []),
    ]);
  }

  private async startControllers(own: boolean) {
    const kubeconfig = await this.user('kube-controller-manager', 'system:kube-controller-manager');
    this.daemon('kube-controller-manager', [
      join(BIN, 'kube-controller-manager'), ...await componentArgs(kubeconfig, own ? 10257 : undefined),
      `--service-account-private-key-file=${this.pki('sa.key')}`, `--root-ca-file=${this.pki('ca.crt')}`, '--use-service-account-credentials=true',
      '--kube-api-qps=5000', '--kube-api-burst=10000', `--node-monitor-grace-period=${this.options.nodeGraceSeconds ?? 7200}s`,
      ...(this.options.controllerArgs ?? []),
    ]);
  }

  private async startScheduler(own: boolean) {
    const kubeconfig = await this.user('kube-scheduler', 'system:kube-scheduler');
    this.daemon('kube-scheduler', [
      join(BIN, 'kube-scheduler'), ...await componentArgs(kubeconfig, own ? 10259 : undefined), '--kube-api-qps=5000', '--kube-api-burst=10000',
    ]);
  }
}

async function componentArgs(kubeconfig: string, port?: number): Promise<string[]> {
  return [
    `--kubeconfig=${kubeconfig}`, `--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`,
    `--bind-address=${LOOPBACK}`, `--secure-port=${port ?? await freePort()}`, '--leader-elect=false',
  ];
}
