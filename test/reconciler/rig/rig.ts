import { execFileSync } from 'child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { Infinispan, PASSWORD, USER } from './infinispan';
import { ConfigDirection, ConfigOrphans, ConfigRemoval } from '../../../lib/cache-cluster/reconciler/config-policies';
import { CACHE_CLUSTER_LABEL, CACHE_DEFINITION_LABEL } from '../../../lib/private/labels';
import { MARK } from '../../../reconciler/src/caches/marks';
import { ClusterConfiguration, Configuration } from '../../../reconciler/src/configuration';
import { ConfigMap } from '../../../reconciler/src/definitions/definition-record';
import { KubernetesClient } from '../../../reconciler/src/kubernetes/kubernetes-client';
import { CacheResource, cachesPath, KubernetesObject } from '../../../reconciler/src/kubernetes/objects';
import { ServiceAccount } from '../../../reconciler/src/kubernetes/service-account';
import { bundleReconciler } from '../../../scripts/bundle-reconciler';
import { ControlPlane } from '../../rig/control-plane';
import { Daemon } from '../../rig/daemon';
import { findCrd } from '../../support/crds';
import { eventually, freePort } from '../../support/http';

export const NAMESPACE = 'caches';
export const INSTANCE = 'reconciler';
export const SECRET = 'credentials';
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** What the program may do: nothing else. */
export const RULES = [
  { apiGroups: ['infinispan.org'], resources: ['caches'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: ['infinispan.org'], resources: ['caches/status'], verbs: ['patch'] },
  { apiGroups: ['infinispan.org'], resources: ['infinispans'], verbs: ['list', 'watch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [SECRET], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];

/** A real API server with the operator's resources, and the program as it is shipped, with no more rights than it has in a cluster. */
export class Rig {
  public static async start(): Promise<Rig> {
    const plane = await ControlPlane.start({ apiOnly: true });
    const rig = new Rig(plane);
    try {
      await rig.prepare();
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  public readonly folder = mkdtempSync(join(tmpdir(), 'reconciler-'));
  public api!: KubernetesClient;
  private readonly programs: Program[] = [];

  private constructor(public readonly plane: ControlPlane) {}

  public get apiServer(): string {
    return `https://${this.plane.address}:${this.plane.port}`;
  }

  /** Starts the program; it is stopped with the rig. */
  public async program(clusters: ClusterConfiguration[], more: Partial<Configuration> = {}, options: ProgramOptions = {}): Promise<Program> {
    const program = new Program(this.folder, await freePort(), { ...DEFAULTS, ...more, clusters }, { apiServer: this.apiServer, ...options });
    this.programs.push(program);
    return program;
  }

  /** All `Cache` resources of the namespace. */
  public async resources(): Promise<CacheResource[]> {
    const found: CacheResource[] = [];
    await this.api.list(cachesPath(NAMESPACE), {}, (object) => found.push(object));
    return found;
  }

  public async mirrors(cluster?: string): Promise<CacheResource[]> {
    return (await this.resources()).filter(({ metadata, spec }) => metadata.annotations?.[MARK] && (!cluster || spec.clusterName === cluster));
  }

  /** Names of the caches that have a mirror. */
  public async mirrored(cluster?: string): Promise<string[]> {
    return (await this.mirrors(cluster)).map(({ spec }) => spec.name!).sort();
  }

  /** Makes a resource as a user does. */
  public async user(name: string, spec: Partial<CacheResource['spec']>, annotations: Record<string, string> = {}): Promise<CacheResource> {
    return this.api.create(cachesPath(NAMESPACE), {
      apiVersion: 'infinispan.org/v2alpha1', kind: 'Cache', metadata: { name, annotations }, spec: { clusterName: 'sessions', ...spec },
    });
  }

  public async resource(name: string): Promise<CacheResource | undefined> {
    return (await this.resources()).find(({ metadata }) => metadata.name === name);
  }

  /** Removes a resource as a user does. */
  public async remove(name: string) {
    await this.api.remove(cachesPath(NAMESPACE), (await this.resource(name))!.metadata);
  }

  /** Changes a resource as a user does. */
  public async change(name: string, fields: { readonly metadata?: object; readonly spec?: object }) {
    await this.api.patch(cachesPath(NAMESPACE), (await this.resource(name))!.metadata, fields);
  }

  /** Removes every `Cache` resource and every definition, whatever holds it. */
  public async clear() {
    await this.clearOf(cachesPath(NAMESPACE), await this.resources());
    await this.clearOf(CONFIG_MAPS, await this.definitions());
  }

  /** Makes a ConfigMap that defines something, as a user does. */
  public async define(name: string, kind: string, data: Record<string, string>, annotations: Record<string, string> = {}): Promise<ConfigMap> {
    return this.api.create(CONFIG_MAPS, {
      apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations, labels: { [CACHE_CLUSTER_LABEL]: 'sessions', [CACHE_DEFINITION_LABEL]: kind } }, data,
    });
  }

  public async definitions(): Promise<ConfigMap[]> {
    const found: ConfigMap[] = [];
    await this.api.list(CONFIG_MAPS, { labelSelector: CACHE_DEFINITION_LABEL }, (object) => found.push(object));
    return found;
  }

  public async definition(name: string): Promise<ConfigMap | undefined> {
    return (await this.definitions()).find(({ metadata }) => metadata.name === name);
  }

  /** Changes a definition as a user does. */
  public async redefine(name: string, fields: { readonly metadata?: object; readonly data?: object }) {
    await this.api.patch(CONFIG_MAPS, (await this.definition(name))!.metadata, fields);
  }

  public async undefine(name: string) {
    await this.api.remove(CONFIG_MAPS, (await this.definition(name))!.metadata);
  }

  public async stop() {
    await Promise.all(this.programs.map(async (program) => program.kill()));
    this.api?.close();
    await this.plane.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async clearOf(path: string, objects: KubernetesObject[]) {
    await Promise.all(objects.map(async ({ metadata }) => {
      const free = async () => (await this.api.patch(path, metadata, { metadata: { finalizers: null } })).metadata;
      const last = metadata.finalizers ? await free() : metadata;
      await this.api.remove(path, last);
    }));
  }

  private async prepare() {
    const { kubectl } = this.plane;
    writeFileSync(join(this.folder, 'program.js'), bundleReconciler());
    const crds = ['Cache', 'Infinispan'].map((kind) => findCrd('infinispan.org', kind));
    if (crds.includes(undefined)) throw new Error('the CustomResourceDefinitions of the Infinispan operator are missing: see CRDS_DIR');
    await kubectl.apply(crds);
    const metadata = { namespace: NAMESPACE, name: 'reconciler' };
    const subjects = (name: string) => [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }];
    const role = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
    await kubectl.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, name: 'admin' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: NAMESPACE, name: SECRET }, stringData: { username: USER, password: PASSWORD } },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: RULES },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, roleRef: role('Role', 'reconciler'), subjects: subjects('reconciler') },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'admin' }, roleRef: role('ClusterRole', 'cluster-admin'), subjects: subjects('admin') },
    ]);
    await kubectl.run('wait', '--for=condition=Established', '--timeout=30s', 'crd/caches.infinispan.org', 'crd/infinispans.infinispan.org');
    this.api = new KubernetesClient(this.apiServer, new ServiceAccount(await this.account('admin')));
    await this.account('reconciler');
    await eventually('Cache resources are served', async () => (await this.resources()).length === 0);
  }

  /** A folder such as the kubelet makes in a pod. */
  private async account(name: string): Promise<string> {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'token'), await this.plane.kubectl.run('create', 'token', name, '--namespace', NAMESPACE));
    writeFileSync(join(folder, 'namespace'), NAMESPACE);
    writeFileSync(join(folder, 'ca.crt'), this.plane.authority.cert);
    return folder;
  }
}

const DEFAULTS: Omit<Configuration, 'clusters'> = { instance: INSTANCE, logLevel: 'debug', orphans: ConfigOrphans.KEEP, definitions: false };

/** The configuration of a cluster that a real server plays. */
export function clusterOf(server: Infinispan | { readonly url: string }, more: Partial<ClusterConfiguration> = {}): ClusterConfiguration {
  return {
    name: 'sessions',
    url: server.url,
    secret: SECRET,
    usernameKey: 'username',
    passwordKey: 'password',
    operator: false,
    direction: ConfigDirection.SERVER_TO_RESOURCES,
    removal: ConfigRemoval.KEEP,
    paused: false,
    ...more,
  };
}

export interface ProgramOptions {
  /** @default the real one */
  readonly apiServer?: string;
  /** A module that is loaded before it. */
  readonly preload?: string;
  readonly env?: Record<string, string>;
}

let number = 0;

/** The program as a process. */
export class Program {
  private readonly daemon: Daemon;
  private readonly file: string;

  public constructor(
    folder: string, private readonly port: number, private configuration: Configuration, { apiServer, preload, env }: ProgramOptions,
  ) {
    const name = `program-${++number}`;
    mkdirSync(join(folder, name));
    this.file = join(folder, name, 'config.json');
    this.write();
    this.daemon = new Daemon({
      name,
      command: [
        process.execPath, ...NODE_OPTIONS, ...(preload ? [`--require=${preload}`] : []), join(folder, 'program.js'), `--config=${this.file}`, `--port=${port}`, `--api-server=${apiServer}`,
        `--service-account=${join(folder, 'reconciler')}`,
      ],
      logs: folder,
      env,
    });
  }

  public get log(): string {
    return this.daemon.logTail();
  }

  public async page(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`);
    return { status: response.status, text: await response.text() };
  }

  public async untilReady(seconds = 60) {
    await this.daemon.until('ready', async () => (await this.page('/readyz')).status === 200, seconds);
  }

  /** A metric, summed over its labels that contain a text. */
  public async metric(name: string, label = ''): Promise<number> {
    const lines = (await this.page('/metrics')).text.split('\n').filter((line) => line.startsWith(`config_reconciler_${name}`) && line.includes(label));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** Requests to the API server besides watches. */
  public async requests(): Promise<number> {
    return await this.metric('api_requests_total') - await this.metric('api_requests_total', 'verb="watch"');
  }

  /** Writes to the API server. */
  public async writes(): Promise<number> {
    return await this.requests() - await this.metric('api_requests_total', 'verb="list"');
  }

  public configure(change: Partial<Configuration>) {
    this.configuration = { ...this.configuration, ...change };
    this.write();
  }

  /** Memory that is its alone, in KiB. */
  public privateMemory(): number {
    const text = execFileSync('cat', [`/proc/${this.daemon.pid}/smaps_rollup`], { encoding: 'utf8' });
    return [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
  }

  /** Processor time since its start, in seconds. */
  public processorSeconds(): number {
    const fields = execFileSync('cat', [`/proc/${this.daemon.pid}/stat`], { encoding: 'utf8' }).replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  public get running(): boolean {
    return this.daemon.running;
  }

  public async stop() {
    await this.daemon.stop('SIGTERM', 10);
  }

  public async kill() {
    await this.daemon.stop('SIGKILL');
  }

  public async restart() {
    await this.kill();
    this.daemon.start();
  }

  /** Takes all time from it for so many milliseconds, as a suspended machine does. */
  public async freeze(ms: number) {
    process.kill(this.daemon.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(this.daemon.pid, 'SIGCONT');
  }

  private write() {
    writeFileSync(this.file, JSON.stringify(this.configuration));
  }
}

/** As the construct gives them. */
export const NODE_OPTIONS = ['--max-semi-space-size=1', '--max-old-space-size=48', '--v8-pool-size=1'];
