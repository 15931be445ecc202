import type { PodDisruptionBudgetSpec } from 'kubernetes-types/policy/v1';
import { metadata } from './metadata';
import { WORKLOAD_KIND_LABEL } from '../../private/labels';
import { Manifest } from '../../private/objects';
import { AgentSettings } from '../settings';

/** One budget for all role groups. Undefined where the mode or the user wants none. */
export function disruptionBudgetManifest(settings: AgentSettings): Manifest | undefined {
  const { traits, props } = settings;
  if (!traits.scaled) return undefined;
  const limits = props.disruptionBudget ? props.disruptionBudget._spec : { maxUnavailable: traits.scaled.maxUnavailable };
  if (!limits) return undefined;
  const spec: PodDisruptionBudgetSpec = {
    ...limits,
    // Agents wait for their policies to be ready; without this, a source that is down would block every drain.
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: { matchLabels: { ...settings.selectorLabels, [WORKLOAD_KIND_LABEL]: settings.mode } },
  };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: metadata(settings, settings.instanceName), spec };
}
