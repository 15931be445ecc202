import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, rmdirSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { stringify } from 'yaml';
import { ControlPlane } from './control-plane';
import { BIN, Daemon } from './daemon';
import { Network, CONTROL_PLANE_ADDRESS, nodeAddress, podCidr } from './network';
import { eventually } from '../support/http';

const INIT = join(__dirname, 'node-init.sh');
const CGROUPS = '/sys/fs/cgroup';

/** A node: the real kubelet, containerd, runc, CNI and kube-proxy in namespaces of their own. */
export class RealNode {
  public readonly name: string;
  private readonly folder: string;
  private readonly cgroup: string;
  private init?: Daemon;
  private initPid = 0;

  public constructor(
    private readonly plane: ControlPlane, private readonly network: Network, private readonly index: number, private readonly count: number,
  ) {
    this.name = `n${index}`;
    this.folder = join(plane.directory, this.name);
    this.cgroup = `rig-${process.pid}-${this.name}`;
  }

  /** Writes the node's configuration. */
  public async prepare() {
    for (const path of ['lib/kubelet', 'lib/containerd', 'lib/cni', 'log', 'tmp']) mkdirSync(join(this.folder, 'var', path), { recursive: true });
    mkdirSync(join(this.folder, 'cni'));
    symlinkSync('/run', join(this.folder, 'var', 'run'));
    const kubeconfig = await this.plane.user(`node-${this.name}`, `system:node:${this.name}`, 'system:nodes');
    const serving = await this.plane.authority.issue(this.name, [this.name], [nodeAddress(this.index)]);
    this.write('kubelet.crt', serving.cert);
    this.write('kubelet.key', serving.key);
    this.write('cni/10-ptp.conflist', JSON.stringify(this.cni()));
    this.write('containerd.toml', this.containerdConfig());
    this.write('kubelet.yaml', stringify(this.kubeletConfig()));
    this.write('kube-proxy.yaml', stringify(this.proxyConfig()));
    this.write('start', this.startScript(kubeconfig), 0o755);
  }

  /** Boots the node; it keeps its disk. Returns when its programs run. */
  public async up() {
    rmSync(join(this.folder, 'up'), { force: true });
    this.makeCgroup();
    this.init = new Daemon({
      name: this.name,
      logs: this.plane.logs,
      command: [
        'unshare', '--net', '--mount', '--propagation', 'private', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc',
        '--', 'bash', INIT, this.name, this.folder, BIN,
      ],
    });
    const children = `/proc/${this.init.pid}/task/${this.init.pid}/children`;
    await this.init.until('its first process', async () => readFileSync(children, 'utf8').trim());
    this.initPid = Number(readFileSync(children, 'utf8').trim());
    this.network.tie(this.initPid, this.index, this.count);
    await this.init.until('its programs', async () => existsSync(join(this.folder, 'up')), 120).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.logTail('containerd')}\n${this.logTail('images')}`);
    });
  }

  /** Waits until the API server counts the node as ready. */
  public async ready(seconds = 120) {
    await this.plane.until(`node ${this.name} is ready`, async () => {
      const conditions = (await this.plane.kubectl.get('node', this.name))?.status.conditions ?? [];
      return conditions.some(({ type, status }: any) => type === 'Ready' && status === 'True');
    }, seconds).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.logTail('kubelet')}\n${this.logTail('containerd')}`);
    });
  }

  /** Pulls the plug: every process of the node is gone at once, and all that it had in memory. What it has on its disk stays. */
  public async crash() {
    await this.init?.stop('SIGKILL');
    await eventually('the node is gone', async () => !existsSync(`/proc/${this.initPid}`));
    // The kubelet would wait three seconds for each container of old groups when it starts.
    for (const folder of this.cgroupFolders()) removeCgroup(folder);
  }

  /** Command to run something in the node. */
  public get prefix(): string[] {
    return ['nsenter', '--target', String(this.initPid), '--mount', '--uts', '--net', '--pid', '--', 'env', `PATH=${BIN}:${process.env.PATH}`];
  }

  public logTail(program: string): string {
    const path = join(this.folder, `${program}.log`);
    return existsSync(path) ? `${this.name} ${program}:\n${readFileSync(path, 'utf8').split('\n').slice(-15).join('\n')}` : '';
  }

  private write(name: string, text: string, mode = 0o600) {
    writeFileSync(join(this.folder, name), text, { mode });
  }

  private cni() {
    return {
      cniVersion: '1.0.0',
      name: 'pods',
      plugins: [
        {
          type: 'ptp',
          ipMasq: false,
          mtu: 1500,
          ipam: { type: 'host-local', dataDir: '/var/lib/cni/networks', ranges: [[{ subnet: podCidr(this.index) }]], routes: [{ dst: '0.0.0.0/0' }] },
        },
        { type: 'portmap', backend: 'nftables', capabilities: { portMappings: true } },
      ],
    };
  }

  private containerdConfig(): string {
    return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "localhost/pause:1"
[plugins.'io.containerd.cri.v1.runtime']
  # A process that may not lower its own OOM score cannot do so for a container.
  restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ["${BIN}"]
  conf_dir = "${join(this.folder, 'cni')}"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
    BinaryName = "${join(BIN, 'runc')}"
    SystemdCgroup = false
`;
  }

  private kubeletConfig() {
    return {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      failCgroupV1: false,
      cgroupDriver: 'cgroupfs',
      // Each kubelet removes pods' cgroups that it does not know.
      cgroupRoot: `/${this.cgroup}`,
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: this.plane.pki('ca.crt') } },
      authorization: { mode: 'Webhook' },
      tlsCertFile: join(this.folder, 'kubelet.crt'),
      tlsPrivateKeyFile: join(this.folder, 'kubelet.key'),
      clusterDomain: 'cluster.local',
      clusterDNS: [CONTROL_PLANE_ADDRESS],
      failSwapOn: false,
      makeIPTablesUtilChains: false,
      // Images cannot be pulled again.
      imageGCHighThresholdPercent: 100,
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    };
  }

  private proxyConfig() {
    return {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      hostnameOverride: this.name,
      clientConnection: { kubeconfig: join(this.plane.directory, 'kube-proxy.kubeconfig') },
      detectLocalMode: 'ClusterCIDR',
      clusterCIDR: '10.244.0.0/16',
      // These are not writable in a network namespace.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    };
  }

  private startScript(kubeconfig: string): string {
    const kubelet = [
      'kubelet', `--config=${this.folder}/kubelet.yaml`, `--kubeconfig=${kubeconfig}`, `--hostname-override=${this.name}`,
      `--node-ip=${nodeAddress(this.index)}`, `--node-labels=topology.kubernetes.io/zone=z${this.index}`, '--root-dir=/var/lib/kubelet',
    ].join(' ');
    return `#!/bin/bash
case $1 in
  kubelet) command="${kubelet}" ;;
  kube-proxy) command="kube-proxy --config=${this.folder}/kube-proxy.yaml" ;;
esac
setsid $command </dev/null >>"${this.folder}/$1.log" 2>&1 &
`;
  }

  private makeCgroup() {
    for (const folder of this.cgroupFolders()) {
      mkdirSync(folder, { recursive: true });
      for (const file of ['cpuset.cpus', 'cpuset.mems']) {
        const parent = join(folder, '..', file);
        if (existsSync(parent) && existsSync(join(folder, file))) writeFileSync(join(folder, file), readFileSync(parent));
      }
    }
  }

  /** With cgroup v1 one folder for each controller. */
  private cgroupFolders(): string[] {
    if (existsSync(join(CGROUPS, 'cgroup.controllers'))) return [join(CGROUPS, this.cgroup)];
    return readdirSync(CGROUPS, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => join(CGROUPS, name, this.cgroup));
  }
}

function removeCgroup(folder: string) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(folder, entry.name));
  }
  try {
    rmdirSync(folder);
  } catch {
    // A process of it is still dying; an empty folder harms nobody.
  }
}
