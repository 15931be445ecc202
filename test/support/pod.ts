import { ChildProcess, execFile, spawn } from 'child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { dirname, join } from 'path';
import { call, eventually, freePort, isOpen } from './http';

export interface PodOptions {
  /** Path of the real program, by the path that it has in the image. */
  readonly programs: Record<string, string>;
  /** Name of the container to run, in place of the first one. */
  readonly container?: string;
  /** Secrets that exist in the namespace: data by key, by name. */
  readonly secrets?: Record<string, Record<string, string>>;
  /** What stands for servers of the cluster here, by the beginning of their URLs. */
  readonly urls?: Record<string, string>;
}

/**
 * Runs a container of a synthesised workload as a process, as near to the kubelet as it goes without one: the
 * command, arguments, variables and mounted files are those of the manifest; only mount paths become folders of a
 * temporary directory, and ports free ones. Volumes hold their files twice, behind `..data`, as on a node.
 */
export class Pod {
  /** Starts the only workload (or the one with this name) among the objects. */
  public static async start(objects: any[], options: PodOptions, workload?: string): Promise<Pod> {
    const found = objects.filter(({ kind, metadata }) => ['DaemonSet', 'Deployment'].includes(kind) && (!workload || metadata.name === workload));
    if (found.length !== 1) throw new Error(`expected one workload, found ${found.map(({ metadata }) => metadata.name)}`);
    const pod = new Pod(objects, found[0].spec.template.spec, options);
    await pod.mapPorts();
    pod.makeVolumes();
    pod.launch();
    return pod;
  }

  public log = '';
  private readonly root = mkdtempSync(join(tmpdir(), 'pod-'));
  private readonly container: any;
  /** Strings of the manifest and what stands for them here. */
  private readonly mapping: [RegExp, string][] = [];
  private readonly ports: Record<string, number> = {};
  private readonly secrets: Record<string, Record<string, string>>;
  private process?: ChildProcess;
  private exit?: Promise<number | null>;

  private constructor(private readonly objects: any[], private readonly spec: any, private readonly options: PodOptions) {
    const { containers, initContainers = [] } = spec;
    this.container = options.container ? [...initContainers, ...containers].find(({ name }: any) => name === options.container) : containers[0];
    if (!this.container) throw new Error(`no container ${options.container}`);
    this.secrets = { ...options.secrets };
    for (const [url, replacement] of Object.entries(options.urls ?? {})) {
      this.mapping.push([new RegExp(url.replace(/[.]/g, '\\.'), 'g'), replacement]);
    }
  }

  /** The port here of a named port of the container. */
  public port(name: string): number {
    return this.ports[name];
  }

  /** The path here of a path of the container. */
  public path(path: string): string {
    return this.map(path);
  }

  public async startup() {
    return this.probe(this.container.startupProbe);
  }

  public async live() {
    return this.probe(this.container.livenessProbe);
  }

  public async ready() {
    return this.probe(this.container.readinessProbe);
  }

  public async untilReady(seconds = 20) {
    try {
      await eventually('ready', async () => await this.startup() && await this.ready(), seconds);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.log.slice(-3000)}`);
    }
  }

  /** Runs another command of the container's, as a probe would. */
  public async exec(command: string[]): Promise<{ code: number; output: string }> {
    const [program, ...args] = command.map((word) => this.map(word));
    return new Promise((resolve) => {
      execFile(this.options.programs[program] ?? program, args, { env: this.environment(), timeout: 15_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, output: stdout + stderr });
      });
    });
  }

  /** Changes a mounted Secret as the kubelet does: all of its files at once. */
  public updateSecret(name: string, data: Record<string, string>) {
    this.secrets[name] = data;
    const holds = ({ secret, projected }: any) =>
      secret?.secretName === name || projected?.sources.some((source: any) => source.secret?.name === name);
    for (const volume of this.spec.volumes.filter(holds)) this.project(join(this.root, volume.name), this.filesOf(volume)!);
  }

  /** What the kubelet does: the hook, then SIGTERM. Returns the exit code. */
  public async stop(): Promise<number | null> {
    const sleep = this.container.lifecycle?.preStop?.sleep?.seconds;
    if (sleep) await new Promise((resolve) => setTimeout(resolve, sleep * 1000));
    this.process?.kill('SIGTERM');
    return this.exit!;
  }

  /** Starts the container again in the same pod: its volumes are kept. */
  public restart() {
    this.launch();
  }

  public get running(): boolean {
    return this.process?.exitCode === null && this.process.signalCode === null;
  }

  /** Resolves with the exit code when the process ends by itself. */
  public async exited(): Promise<number | null> {
    return this.exit!;
  }

  /** Ends everything, whatever state it is in. */
  public async clean() {
    if (this.running) {
      this.process!.kill('SIGKILL');
      await this.exit;
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  private async mapPorts() {
    for (const { name, containerPort } of this.container.ports ?? []) {
      this.ports[name] = await freePort();
      // `:8181` in arguments and configuration, but not the port of an address elsewhere.
      this.mapping.push([new RegExp(`(?<=^|["= ]|http://):${containerPort}(?!\\d)`, 'g'), `127.0.0.1:${this.ports[name]}`]);
    }
  }

  private makeVolumes() {
    for (const { mountPath, name } of this.container.volumeMounts) {
      const folder = join(this.root, name);
      mkdirSync(folder, { recursive: true });
      this.mapping.push([new RegExp(`(?<=^|["=\\s:]|//)${mountPath}(?=$|[/"\\s])`, 'g'), folder]);
      this.mapping.push([new RegExp(`${encodeURIComponent(mountPath)}(?=%2F)`, 'g'), encodeURIComponent(folder)]);
    }
    for (const { name } of this.container.volumeMounts) {
      const volume = this.spec.volumes.find((candidate: any) => candidate.name === name);
      if (!volume) throw new Error(`no volume ${name}`);
      const files = this.filesOf(volume);
      if (files) this.project(join(this.root, name), files);
    }
  }

  private filesOf(volume: any): Record<string, string> | undefined {
    if (volume.configMap) return this.configMapFiles(volume.configMap);
    if (volume.secret) return pick(this.secret(volume.secret.secretName), volume.secret.items);
    if (volume.projected) {
      return Object.assign({}, ...volume.projected.sources.map((source: any) => source.configMap
        ? this.configMapFiles(source.configMap)
        : pick(this.secret(source.secret.name), source.secret.items)));
    }
    if (volume.emptyDir || volume.hostPath) return undefined;
    throw new Error(`cannot mount ${JSON.stringify(volume)}`);
  }

  private configMapFiles({ name, items }: any): Record<string, string> {
    const configMap = this.objects.find((object) => object.kind === 'ConfigMap' && object.metadata.name === name);
    if (!configMap) throw new Error(`no ConfigMap ${name}`);
    const files = pick(configMap.data, items);
    return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, this.map(text)]));
  }

  private secret(name: string): Record<string, string> {
    const secret = this.secrets[name];
    if (!secret) throw new Error(`no Secret ${name}`);
    return secret;
  }

  /** Writes files as the kubelet's atomic writer does. */
  private project(folder: string, files: Record<string, string>) {
    const version = `..${process.hrtime.bigint()}`;
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, version, path)), { recursive: true });
      writeFileSync(join(folder, version, path), text);
    }
    symlinkSync(version, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    for (const path of Object.keys(files)) {
      const [top] = path.split('/');
      if (!existsSync(join(folder, top))) symlinkSync(join('..data', top), join(folder, top));
    }
  }

  private launch() {
    const [program, ...args] = [...this.container.command, ...(this.container.args ?? [])].map((word: string) => this.map(word));
    const real = this.options.programs[program];
    if (!real) throw new Error(`no program for ${program}`);
    this.process = spawn(real, args, { env: this.environment(), cwd: this.root, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout!.on('data', (data) => this.log += data);
    this.process.stderr!.on('data', (data) => this.log += data);
    this.exit = new Promise((resolve) => this.process!.on('exit', (code) => resolve(code)));
  }

  private environment(): Record<string, string> {
    const fields: Record<string, string> = { 'spec.nodeName': 'node-1', 'metadata.name': 'pod-1', 'metadata.namespace': 'authz' };
    return Object.fromEntries(this.container.env.map(({ name, value, valueFrom }: any) => {
      if (value !== undefined) return [name, value];
      if (valueFrom.fieldRef) return [name, fields[valueFrom.fieldRef.fieldPath]];
      return [name, this.secret(valueFrom.secretKeyRef.name)[valueFrom.secretKeyRef.key]];
    }));
  }

  private async probe({ httpGet, exec, tcpSocket }: any): Promise<boolean> {
    if (exec) return (await this.exec(exec.command)).code === 0;
    const { port: named } = httpGet ?? tcpSocket;
    const port = typeof named === 'number' ? named : this.ports[named];
    if (!port) throw new Error(`no port ${named}`);
    if (tcpSocket) return isOpen(port);
    try {
      // The kubelet verifies no certificate and counts 200 to 399 as success.
      const { status } = await call({ port, path: httpGet.path, tls: httpGet.scheme === 'HTTPS' ? { verify: false } : undefined });
      return status >= 200 && status < 400;
    } catch {
      return false;
    }
  }

  private map(text: string): string {
    return this.mapping.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
  }
}

function pick(data: Record<string, string>, items?: { key: string; path: string }[]): Record<string, string> {
  if (!items) return data;
  return Object.fromEntries(items.map(({ key, path }) => {
    if (data[key] === undefined) throw new Error(`no key ${key}`);
    return [path, data[key]];
  }));
}
