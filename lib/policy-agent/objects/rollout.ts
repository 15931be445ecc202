import type { PodTemplateSpec } from 'kubernetes-types/core/v1';
import { ModeRollout } from '../deployment-mode';
import { AgentSettings } from '../settings';

/** How the pods of a role group are rolled: the mode's way, unless the user or the pods themselves ask for another. */
export function rolloutOf({ props, traits, socket }: AgentSettings, template: PodTemplateSpec): ModeRollout {
  const derived = (socket || hasHostPort(template)) && traits.perNode ? traits.perNode.fixedEndpointRollout : traits.workload!.rollout;
  const maxSurge = props.rollout?.maxSurge?.value;
  const maxUnavailable = props.rollout?.maxUnavailable?.value;
  if (maxSurge === undefined && maxUnavailable === undefined) return derived;
  if (maxSurge === undefined) return { maxSurge: traits.perNode && isSome(maxUnavailable) ? 0 : derived.maxSurge, maxUnavailable };
  if (maxUnavailable === undefined) return { maxSurge, maxUnavailable: isSome(maxSurge) ? 0 : 1 };
  return { maxSurge, maxUnavailable };
}

/** Whether a pod takes a port of its node, so that two of them cannot share one. */
export function hasHostPort({ spec }: PodTemplateSpec): boolean {
  const containers = [...spec!.containers, ...(spec!.initContainers ?? [])];
  return spec!.hostNetwork === true || containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort !== undefined));
}

/** Whether a number of pods, or a percentage of them, is above none. */
export function isSome(pods: number | string): boolean {
  return parseFloat(String(pods)) > 0;
}
