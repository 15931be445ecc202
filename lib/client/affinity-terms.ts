import type { PodAffinity, PodAffinityTerm, WeightedPodAffinityTerm } from 'kubernetes-types/core/v1';
import { ClientAffinityOptions } from './affinity-options';
import { DEFAULT_WEIGHT, HOSTNAME } from './check-affinity-options';
import { sameJson, sorted, withKey } from './json-path';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';

/** Terms to append to a pod affinity. */
export interface AffinityTerms {
  readonly preferred: WeightedPodAffinityTerm[];
  readonly required: PodAffinityTerm[];
}

/**
 * The terms that draw pods of a namespace to an agent. The agent's namespace is named only where it is another one: without
 * it, a term means the pod's own.
 */
export function termsFor(agent: Pick<IPolicyAgent, 'namespace' | 'podLabels'>, clientNamespace: string | undefined, options: ClientAffinityOptions): AffinityTerms {
  const term: PodAffinityTerm = {
    labelSelector: { matchLabels: agent.podLabels },
    ...(agent.namespace !== clientNamespace && { namespaces: [agent.namespace!] }),
    topologyKey: options.topologyKey ?? HOSTNAME,
  };
  const weighted = options.required ? [] : [{ podAffinityTerm: term, weight: options.weight ?? DEFAULT_WEIGHT }];
  return {
    preferred: [...weighted, ...(options.extraTerms ?? [])].map(sorted),
    required: options.required ? [sorted(term)] : [],
  };
}

/** Appends terms to a pod affinity, unless they are there: what the user has stays, with the weight that it has. */
export function appendTerms(podAffinity: PodAffinity | undefined, { preferred, required }: AffinityTerms): PodAffinity {
  const strengths = [
    ['preferredDuringSchedulingIgnoredDuringExecution', preferred, (term: any) => term.podAffinityTerm],
    ['requiredDuringSchedulingIgnoredDuringExecution', required, (term: any) => term],
  ] as const;
  let result = podAffinity ?? {};
  for (const [list, terms, selectorOf] of strengths) {
    const own: any[] = podAffinity?.[list] ?? [];
    const added = terms.filter((term) => !own.some((other) => sameJson(selectorOf(other), selectorOf(term))));
    if (added.length > 0) result = withKey(result, list, [...own, ...added]);
  }
  return result;
}
