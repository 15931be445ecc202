import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { parseAllDocuments, stringify } from 'yaml';
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

/** Annotations of pods that are to be ready, or to be gone, only after a while such as `500ms`. */
export const READY_DELAY = delayAnnotation('pod-ready');
export const DELETE_DELAY = delayAnnotation('pod-delete');

/** Lets kwok play nodes: pods that are bound to them are ready at once, and gone at once when they are deleted, unless they ask for a delay. */
export async function startKwok(plane: ControlPlane) {
  requireTools(['kwok']);
  const stages = join(plane.directory, 'kwok-stages.yaml');
  writeFileSync(stages, stagesWithDelays());
  plane.daemon('kwok', [
    join(BIN, 'kwok'), `--kubeconfig=${plane.adminKubeconfig}`, `--config=${stages}`, '--manage-all-nodes=true', '--node-ip=10.0.0.1',
    '--cidr=10.128.0.0/9', '--node-lease-duration-seconds=1200', `--server-address=127.0.0.1:${await freePort()}`,
  ]);
}

/** Adds nodes and waits until they are ready. */
export async function addNodes(plane: ControlPlane, nodes: FakeNode[]) {
  const { kubectl } = plane;
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
  await plane.until(`${nodes.length} nodes are ready`, async () => {
    const ready = new Set((await kubectl.list('nodes')).filter(isReady).map(({ metadata }) => metadata.name));
    return nodes.every(({ name }) => ready.has(name));
  }, 120);
}

/** Numbered nodes, spread over zones. */
export function numberedNodes(count: number, zones = 3): FakeNode[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`, labels: { 'topology.kubernetes.io/zone': `zone-${(index % zones) + 1}` },
  }));
}

function isReady({ status }: any): boolean {
  return status.conditions?.some((condition: any) => condition.type === 'Ready' && condition.status === 'True');
}

function delayAnnotation(stage: string): string {
  return `${stage}.stage.kwok.x-k8s.io/delay`;
}

function stagesWithDelays(): string {
  const stages = parseAllDocuments(readFileSync(STAGES, 'utf8')).map((document) => document.toJS()).filter((stage) => stage);
  for (const { metadata, spec } of stages) {
    if (spec.resourceRef.kind !== 'Pod') continue;
    spec.delay = { durationMilliseconds: 0, durationFrom: { expressionFrom: `.metadata.annotations["${delayAnnotation(metadata.name)}"]` } };
  }
  return stages.map((stage) => stringify(stage)).join('---\n');
}
