import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ControlPlane } from './control-plane';
import { BIN, requireTools } from './daemon';
import { ImageSpec, packImage } from './image';
import { Kubectl } from './kubectl';
import { CONTROL_PLANE_ADDRESS, Network } from './network';
import { RealNode } from './real-node';
import { CERBOS } from '../support/programs';

const TOOLS = [
  'containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'nft', 'busybox', 'ptp', 'loopback', 'host-local', 'portmap', 'kubelet', 'kube-proxy', 'coredns',
  'testkit', 'opa',
];

/** What the nodes have without pulling: the engines under the names that manifests give them, and what tests need. */
const IMAGES: Record<string, ImageSpec> = {
  pause: { reference: 'localhost/pause:1', files: { '/testkit': join(BIN, 'testkit') }, entrypoint: ['/testkit', 'pause'] },
  testkit: { reference: 'localhost/testkit:1', files: { '/testkit': join(BIN, 'testkit') }, entrypoint: ['/testkit'] },
  opa: { reference: 'docker.io/openpolicyagent/opa:1.22.4-static', files: { '/opa': join(BIN, 'opa') }, entrypoint: ['/opa'] },
  cerbos: { reference: 'ghcr.io/cerbos/cerbos:0.55.0', files: { '/cerbos': CERBOS }, entrypoint: ['/cerbos'] },
  busybox: {
    reference: 'docker.io/library/busybox:1.37',
    files: Object.fromEntries(['sh', 'busybox', 'chown', 'sleep', 'ln', 'mv', 'rm', 'rmdir', 'mkdir', 'readlink', 'test', 'wget', 'cat', 'ls']
      .map((applet) => [`/bin/${applet}`, join(BIN, '..', 'debian', 'bin', 'busybox')])),
    entrypoint: ['/bin/sh'],
  },
};

/** A whole cluster on one machine: the real control plane and real nodes, all in networks of their own. Needs root on Linux. */
export class NodeCluster {
  /** With images besides those that every test has, by any name, and further arguments of the API server. */
  public static async start(count = 3, images: Record<string, ImageSpec> = {}, apiServerArgs: string[] = []): Promise<NodeCluster> {
    if (process.getuid?.() !== 0 || process.platform !== 'linux') throw new Error('real nodes need root on Linux: namespaces, mounts and cgroups are made');
    requireTools(TOOLS);
    const cluster = new NodeCluster();
    try {
      await cluster.startAll(count, { ...IMAGES, ...images }, apiServerArgs);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  public readonly nodes: RealNode[] = [];
  public plane!: ControlPlane;
  private readonly logs = mkdtempSync(join(tmpdir(), 'network-'));
  private network?: Network;

  private constructor() {}

  public get kubectl(): Kubectl {
    return this.plane.kubectl;
  }

  /** Command to run something in the control plane's network, which also reaches pods. */
  public get prefix(): string[] {
    return this.network!.prefix;
  }

  public node(name: string): RealNode {
    return this.nodes.find((node) => node.name === name)!;
  }

  public async stop() {
    await Promise.all(this.nodes.map(async (node) => node.crash()));
    await this.plane?.stop();
    await this.network?.stop();
    rmSync(this.logs, { recursive: true, force: true });
  }

  private async startAll(count: number, images: Record<string, ImageSpec>, apiServerArgs: string[]) {
    this.network = new Network(this.logs);
    // Nodes are given up after 20 seconds rather than 50, so that tests of crashes are short.
    this.plane = await ControlPlane.start({
      address: CONTROL_PLANE_ADDRESS,
      prefix: this.network.prefix,
      nodeGraceSeconds: 20,
      apiServerArgs: ['--enable-admission-plugins=NodeRestriction', ...apiServerArgs],
    });
    this.packImages(images);
    await this.plane.user('kube-proxy', 'system:kube-proxy');
    await this.kubectl.run('create', 'clusterrolebinding', 'kube-proxy', '--clusterrole=system:node-proxier', '--user=system:kube-proxy');
    await this.startDns();
    for (let index = 1; index <= count; index++) this.nodes.push(new RealNode(this.plane, this.network, index, count));
    for (const node of this.nodes) await node.prepare();
    await Promise.all(this.nodes.map(async (node) => node.up()));
    await Promise.all(this.nodes.map(async (node) => node.ready()));
  }

  private packImages(images: Record<string, ImageSpec>) {
    const folder = join(this.plane.directory, 'images');
    mkdirSync(folder);
    for (const [name, image] of Object.entries(images)) packImage(image, join(folder, `${name}.tar`));
  }

  private async startDns() {
    const kubeconfig = await this.plane.user('coredns', 'coredns', 'system:masters');
    const corefile = join(this.plane.directory, 'Corefile');
    writeFileSync(corefile, `.:53 {
  errors
  ready ${CONTROL_PLANE_ADDRESS}:8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    ttl 2
  }
  cache 2
}
`);
    this.plane.daemon('coredns', [join(BIN, 'coredns'), `-conf=${corefile}`]);
  }
}
