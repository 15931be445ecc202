import type { PodSpec, Toleration } from 'kubernetes-types/core/v1';
import { AgentNodes } from './client-offer';
import { nodeSelectionOf, uncoveredBy } from '../private/node-coverage';

/** Taints that Kubernetes lets every pod of a DaemonSet tolerate. @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations */
const TOLERATED = ['not-ready', 'unreachable', 'disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => `node.kubernetes.io/${name}`);

/** A node on which a client may stand without an agent beside it, in words; undefined if there is none. */
export function nodeWithoutAgent(pod: PodSpec, agents: AgentNodes): string | undefined {
  const node = uncoveredBy(nodeSelectionOf(pod), agents.selections);
  if (node) return node;
  const bare = (pod.tolerations ?? []).find((toleration) => !agents.tolerations.every((own) => own.some((other) => covers(other, toleration))));
  return bare && `a node with taint ${bare.key ?? '(any)'}${bare.value === undefined ? '' : `=${bare.value}`}${bare.effect ? `:${bare.effect}` : ''}`;
}

/** Whether a pod that accepts one taint accepts all that another one does. */
function covers(own: Toleration, client: Toleration): boolean {
  if (own.effect && own.effect !== client.effect) return false;
  if (own.operator === 'Exists') return !own.key || own.key === client.key;
  return own.key === client.key && client.operator !== 'Exists' && (own.value ?? '') === (client.value ?? '');
}

/** What the pods of a DaemonSet accept, besides their own tolerations. */
export function tolerationsOfDaemonSet(own: Toleration[] = []): Toleration[] {
  return [
    ...own,
    // Such a taint keeps nobody away.
    { operator: 'Exists', effect: 'PreferNoSchedule' },
    ...TOLERATED.map((key) => ({ key, operator: 'Exists' })),
  ];
}
