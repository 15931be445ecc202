import type { WeightedPodAffinityTerm } from 'kubernetes-types/core/v1';
import { HOSTNAME } from './check-affinity-options';
import { CatalogPointer, DefaultTerm } from './client-kind';
import { pathOf, sameJson, sorted, valueAt } from './json-path';
import { Json } from '../private/merge';

/** The terms that an operator would give the pods of a resource, and what of them nobody can know. */
export interface RestatedTerms {
  readonly terms: WeightedPodAffinityTerm[];
  /** They depend on catalogs, of which the app holds none that the resource selects. */
  readonly withoutCatalogs: boolean;
}

/** Restates the terms that an operator drops when the user gives one. */
export function restate(defaults: readonly DefaultTerm[], resource: Json, catalogs: () => Json[]): RestatedTerms {
  const selected = defaults.some(needsCatalogs) ? catalogs().filter((catalog) => selects(resource, catalog)) : [];
  const terms: WeightedPodAffinityTerm[] = [];
  for (const { weight, labels, labelsFrom } of defaults) {
    for (const values of valuesOf(labelsFrom, resource, selected)) {
      const term = sorted({ weight, podAffinityTerm: { topologyKey: HOSTNAME, labelSelector: { matchLabels: { ...labels, ...values } } } });
      if (!terms.some((other) => sameJson(other, term))) terms.push(term);
    }
  }
  return { terms, withoutCatalogs: selected.length === 0 && defaults.some(needsCatalogs) };
}

function needsCatalogs({ labelsFrom }: DefaultTerm): boolean {
  return Object.values(labelsFrom).some((from) => typeof from !== 'string');
}

/** The labels of each term that one default comes to: one, one for each catalog, or none where a value is missing. */
function valuesOf(labelsFrom: DefaultTerm['labelsFrom'], resource: Json, catalogs: Json[]): Record<string, string>[] {
  const sources = needsCatalogs({ weight: 0, labels: {}, labelsFrom }) ? catalogs : [resource];
  return sources.flatMap((source) => {
    const entries = Object.entries(labelsFrom).map(([label, from]) => [label, typeof from === 'string' ? valueAt(resource, pathOf(from)) : inConnector(source, from)]);
    return entries.every(([, value]) => typeof value === 'string') ? [Object.fromEntries(entries)] : [];
  });
}

function inConnector(catalog: Json, { inConnector: pointer }: CatalogPointer): unknown {
  const connector = Object.values(catalog.spec?.connector ?? {})[0];
  return valueAt(connector, pathOf(pointer));
}

/** Whether a TrinoCluster takes a TrinoCatalog. */
function selects(cluster: Json, { metadata }: Json): boolean {
  const { matchLabels = {}, matchExpressions = [] } = cluster.spec?.clusterConfig?.catalogLabelSelector ?? {};
  const labels: Record<string, string> = metadata.labels ?? {};
  return metadata.namespace === cluster.metadata.namespace
    && Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
    && matchExpressions.every((expression: any) => matches(expression, labels[expression.key]));
}

function matches({ operator, values = [] }: { operator: string; values?: string[] }, value: string | undefined): boolean {
  switch (operator) {
    case 'In': return value !== undefined && values.includes(value);
    case 'NotIn': return value === undefined || !values.includes(value);
    case 'Exists': return value !== undefined;
    default: return value === undefined; // DoesNotExist
  }
}
