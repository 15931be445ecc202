import type { PodSpec } from 'kubernetes-types/core/v1';
import { nodeCoverage, nodeSelectionOf } from '../../private/node-coverage';
import { Acknowledgement } from '../acknowledgement';
import { AgentSettings } from '../settings';
import { InternalTrafficPolicy } from '../traffic';

/** Throws when the role groups' pods, as they were rendered, do not stand where their mode promises. */
export function refuseCoverage(settings: AgentSettings, podSpecs: Record<string, PodSpec>) {
  const { traits, service, internalTrafficPolicy, acknowledged } = settings;
  if (!traits.perNode) return;
  const { overlapping, uncovered } = nodeCoverage(mapValues(podSpecs, nodeSelectionOf));
  if (overlapping && !acknowledged.includes(Acknowledgement.OVERLAPPING_ROLE_GROUPS)) {
    throw new Error(
      `role groups ${overlapping.first} and ${overlapping.second} may both select ${overlapping.nodes}, which would then run two agents: give them ` +
      'nodes that exclude each other (In and NotIn, Exists and DoesNotExist on one label), or acknowledge OVERLAPPING_ROLE_GROUPS',
    );
  }
  const local = service && internalTrafficPolicy === InternalTrafficPolicy.LOCAL;
  if (uncovered && local && !acknowledged.includes(Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE)) {
    throw new Error(
      `internalTrafficPolicy Local, but no role group provably selects ${uncovered}: clients there get no answer, since their packets are ` +
      'dropped; widen the role groups, set internalTrafficPolicy to CLUSTER, or acknowledge LOCAL_WITHOUT_FULL_COVERAGE',
    );
  }
}

function mapValues<T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
