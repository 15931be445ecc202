import type { NodeSelectorRequirement, Toleration as AcceptedTaint } from 'kubernetes-types/core/v1';
import type { NodeRequirement, Toleration } from '../policy-agent/scheduling';

/** Conditions of a node, in wire form. */
export function matchExpressions(nodes: NodeRequirement[]): NodeSelectorRequirement[] {
  return nodes.map(({ key, operator, values }) => ({ key, operator, ...(values && { values: [...values] }) }) as NodeSelectorRequirement);
}

/** Tolerations, in wire form. */
export function acceptedTaints(tolerations: Toleration[]): AcceptedTaint[] {
  return tolerations.map(({ key, value, effect }) => ({
    ...(key !== undefined && { key }),
    operator: value === undefined ? 'Exists' : 'Equal',
    ...(value !== undefined && { value }),
    ...(effect && { effect }),
  }) as AcceptedTaint);
}
