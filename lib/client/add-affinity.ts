import type { Affinity, PodAffinity } from 'kubernetes-types/core/v1';
import { AffinityTerms, appendTerms } from './affinity-terms';
import { PodPlace, StrongerPlace } from './client-kind';
import { restate } from './default-terms';
import { expand, Path, pathOf, updateAt, valueAt, withKey } from './json-path';
import { Json } from '../private/merge';

/** What is needed to add terms, and to say what went with it. */
export interface AffinityContext {
  readonly terms: AffinityTerms;
  /** The TrinoCatalogs of the app. */
  readonly catalogs: () => Json[];
  readonly warn: (message: string) => void;
}

/** Adds terms to one kind of a resource's pods, and restates the operator's own where they would be lost. */
export function addAffinity(resource: Json, place: PodPlace, context: AffinityContext): Json {
  if (place.warning) context.warn(place.warning);
  let result = resource;
  for (const path of expand(resource, affinityPath(resource, place))) {
    const affinity = valueAt(resource, path) ?? defaultAffinity(resource, place, context);
    const podAffinity = affinity?.podAffinity ?? defaultPodAffinity(resource, place, context);
    result = updateAt(result, path, () => withKey(affinity ?? {}, 'podAffinity', appendTerms(podAffinity, context.terms)));
  }
  for (const stronger of place.stronger ?? []) {
    for (const path of expand(resource, pathOf(stronger.affinity))) {
      const terms = termsAt(valueAt(resource, path), stronger, context.terms);
      if (terms) result = updateAt(result, [...path, 'podAffinity'], (podAffinity) => appendTerms(podAffinity, terms));
    }
  }
  return result;
}

/** An older field that the user has set would be passed over as soon as the newer one is there. */
function affinityPath(resource: Json, { affinity, formerly }: PodPlace): Path {
  const old = formerly && pathOf(formerly);
  return old && !valueAt(resource, pathOf(affinity)) && valueAt(resource, old) ? old : pathOf(affinity);
}

function defaultAffinity(resource: Json, { replaces, defaultAntiAffinity = [] }: PodPlace, { catalogs }: AffinityContext): Affinity | undefined {
  if (replaces !== 'affinity' || defaultAntiAffinity.length === 0) return undefined;
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: restate(defaultAntiAffinity, resource, catalogs).terms } };
}

function defaultPodAffinity(resource: Json, place: PodPlace, { catalogs, warn }: AffinityContext): PodAffinity | undefined {
  if (place.replaces !== 'podAffinity' || !place.defaultAffinity?.length) return undefined;
  const { terms, withoutCatalogs } = restate(place.defaultAffinity, resource, catalogs);
  if (withoutCatalogs) {
    warn(`role ${place.role} loses the operator's own terms to the pods of its catalogs, since the app holds no TrinoCatalog that it selects: put them into the ` +
      'app, or give the terms by extraTerms');
  }
  return terms.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: terms } : undefined;
}

/** The terms that are lost unless they stand in a stronger place, too. */
function termsAt(affinity: Affinity | undefined, { wins }: StrongerPlace, { preferred, required }: AffinityTerms): AffinityTerms | undefined {
  const podAffinity = affinity?.podAffinity;
  switch (wins) {
    case 'affinity': return affinity ? { preferred, required } : undefined;
    case 'podAffinity': return podAffinity ? { preferred, required } : undefined;
    case 'list': return podAffinity ? {
      preferred: podAffinity.preferredDuringSchedulingIgnoredDuringExecution ? preferred : [],
      required: podAffinity.requiredDuringSchedulingIgnoredDuringExecution ? required : [],
    } : undefined;
  }
}
