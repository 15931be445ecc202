import { join } from 'path';
import { ControlPlane } from './control-plane';
import { BIN, requireTools } from './daemon';
import { freePort } from '../support/http';

const STAGES = join(BIN, '..', 'kwok-stages.yaml');

/** A node for kwok to play. */
export interface FakeNode {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly taints?: { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** Lets kwok play nodes: pods that are bound to them run at once, or end at once when they are deleted. */
export async function startKwok(plane: ControlPlane) {
  requireTools(['kwok']);
  plane.daemon('kwok', [
    join(BIN, 'kwok'), `--kubeconfig=${plane.adminKubeconfig}`, `--config=${STAGES}`, '--manage-all-nodes=true', '--node-ip=10.0.0.1',
    '--cidr=10.128.0.0/9', '--node-lease-duration-seconds=1200', `--server-address=127.0.0.1:${await freePort()}`,
  ]);
}

/** Adds nodes and waits until they are ready. */
export async function addNodes({ kubectl }: ControlPlane, nodes: FakeNode[]) {
  const resources = { cpu: '32', memory: '128Gi', pods: '250' };
  const objects = nodes.map(({ name, labels, taints }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
    spec: taints ? { taints } : {},
    status: { allocatable: resources, capacity: resources },
  }));
  const created = await kubectl.try(['create', '--filename=-'], objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  if (created.code !== 0) throw new Error(created.stderr);
  await kubectl.run('wait', '--for=condition=Ready', '--timeout=120s', ...nodes.map(({ name }) => `node/${name}`));
}

/** Numbered nodes, spread over zones. */
export function numberedNodes(count: number, zones = 3): FakeNode[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`, labels: { 'topology.kubernetes.io/zone': `zone-${(index % zones) + 1}` },
  }));
}
