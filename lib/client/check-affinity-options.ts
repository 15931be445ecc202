import { ClientAffinityOptions } from './affinity-options';

export const HOSTNAME = 'kubernetes.io/hostname';
export const DEFAULT_WEIGHT = 50;

/** Refuses options that the API server would refuse. */
export function checkAffinityOptions({ weight, required, topologyKey, extraTerms = [] }: ClientAffinityOptions) {
  if (weight !== undefined && required) throw new Error('weight has no meaning with required: leave one of both out');
  if (topologyKey === '') throw new Error('topologyKey must not be empty');
  checkWeight(weight ?? DEFAULT_WEIGHT, 'weight');
  extraTerms.forEach((term, index) => {
    checkWeight(term?.weight, `weight of extraTerms[${index}]`);
    const { topologyKey: key, labelSelector } = term.podAffinityTerm ?? {};
    if (!key || !labelSelector) throw new Error(`podAffinityTerm of extraTerms[${index}] needs topologyKey and labelSelector, given ${JSON.stringify(term.podAffinityTerm)}`);
  });
}

function checkWeight(weight: unknown, what: string) {
  if (Number.isInteger(weight) && (weight as number) >= 1 && (weight as number) <= 100) return;
  throw new Error(`${what} must be a whole number from 1 to 100, given ${weight}`);
}
