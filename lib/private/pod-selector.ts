import { LabelSelector, PodSelectorConfig } from 'cdk8s-plus-28';

/** Selects pods by their labels: in a namespace, or in that of who selects, where it is not known. */
export function podSelectorConfig(labels: Record<string, string>, namespace: string | undefined): PodSelectorConfig {
  return { labelSelector: LabelSelector.of({ labels }), ...(namespace && { namespaces: { names: [namespace] } }) };
}
