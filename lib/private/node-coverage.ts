import type { Affinity, NodeSelectorRequirement, PodSpec } from 'kubernetes-types/core/v1';

/** The part of a pod's spec that says which nodes it may stand on. */
export interface NodeSelection {
  readonly nodeSelector?: Record<string, string>;
  readonly affinity?: Pick<Affinity, 'nodeAffinity'>;
}

/** What can be said at synth about the nodes that several pods select, whatever nodes a cluster has. */
export interface NodeCoverage {
  /** A kind of node that none provably selects; undefined when every node is selected. */
  readonly uncovered?: string;
  /** Two that may select the same kind of node; undefined when no two do. */
  readonly overlapping?: { readonly first: string; readonly second: string; readonly nodes: string };
}

/** `undefined` stands for a node without the label, `OTHER` for a value that no one mentions. */
type LabelValue = string | undefined;
const OTHER = '\0other';

/** Above this many kinds of nodes nothing is claimed to be provable. */
const MAX_KINDS = 4096;

type Verdict = 'yes' | 'no' | 'unknown';

/**
 * Tells the nodes that selections distinguish apart (each label they mention is missing, has one of the mentioned values
 * or another one) and looks which selections match each kind.
 */
export function nodeCoverage(selections: Record<string, NodeSelection>): NodeCoverage {
  const terms = Object.entries(selections).map(([name, selection]) => ({ name, terms: termsOf(selection) }));
  const kinds = nodeKinds(terms.flatMap((entry) => entry.terms.flat()));
  if (!kinds) {
    const names = Object.keys(selections);
    return {
      uncovered: 'nodes (too many combinations of labels to tell)',
      ...(names.length > 1 && { overlapping: { first: names[0], second: names[1], nodes: 'nodes (too many combinations of labels to tell)' } }),
    };
  }
  let uncovered: string | undefined;
  let overlapping: NodeCoverage['overlapping'];
  for (const kind of kinds) {
    const verdicts = terms.map((entry) => ({ name: entry.name, verdict: anyTerm(entry.terms, kind) }));
    if (!uncovered && !verdicts.some(({ verdict }) => verdict === 'yes')) uncovered = describe(kind);
    const possible = verdicts.filter(({ verdict }) => verdict !== 'no');
    if (!overlapping && possible.length > 1) overlapping = { first: possible[0].name, second: possible[1].name, nodes: describe(kind) };
  }
  return { uncovered, overlapping };
}

/** The selection as alternatives of requirements that must all hold. */
function termsOf({ nodeSelector, affinity }: NodeSelection): NodeSelectorRequirement[][] {
  const fromSelector = Object.entries(nodeSelector ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return [fromSelector];
  // A term without conditions matches no node.
  return required.nodeSelectorTerms.filter(({ matchExpressions = [], matchFields = [] }) => matchExpressions.length + matchFields.length > 0)
    .map(({ matchExpressions = [], matchFields = [] }) => [...fromSelector, ...matchExpressions, ...matchFields.map(opaque)]);
}

/** A condition on a field of the node, such as its name: never known at synth. */
function opaque({ key }: NodeSelectorRequirement): NodeSelectorRequirement {
  return { key, operator: 'Field' };
}

function nodeKinds(requirements: NodeSelectorRequirement[]): Map<string, LabelValue>[] | undefined {
  const mentioned = new Map<string, Set<string>>();
  for (const { key, values } of requirements) {
    const known = mentioned.get(key) ?? new Set();
    values?.forEach((value) => known.add(value));
    mentioned.set(key, known);
  }
  let kinds: Map<string, LabelValue>[] = [new Map()];
  for (const [key, values] of mentioned) {
    const options: LabelValue[] = [...values, OTHER, undefined];
    if (kinds.length * options.length > MAX_KINDS) return undefined;
    kinds = kinds.flatMap((kind) => options.map((option) => new Map(kind).set(key, option)));
  }
  return kinds;
}

function anyTerm(terms: NodeSelectorRequirement[][], kind: Map<string, LabelValue>): Verdict {
  const verdicts = terms.map((term) => {
    const each = term.map((requirement) => matches(requirement, kind.get(requirement.key)));
    return each.includes('no') ? 'no' : each.includes('unknown') ? 'unknown' : 'yes';
  });
  return verdicts.includes('yes') ? 'yes' : verdicts.includes('unknown') ? 'unknown' : 'no';
}

function matches({ operator, values = [] }: NodeSelectorRequirement, value: LabelValue): Verdict {
  const has = value !== undefined && values.includes(value);
  switch (operator) {
    case 'In': return has ? 'yes' : 'no';
    case 'NotIn': return has ? 'no' : 'yes';
    case 'Exists': return value !== undefined ? 'yes' : 'no';
    case 'DoesNotExist': return value === undefined ? 'yes' : 'no';
    default: return value === undefined && operator !== 'Field' ? 'no' : 'unknown'; // Gt, Lt
  }
}

function describe(kind: Map<string, LabelValue>): string {
  if (kind.size === 0) return 'every node';
  const labels = [...kind].map(([key, value]) => {
    if (value === undefined) return `without label ${key}`;
    return value === OTHER ? `with another value of label ${key}` : `with label ${key}=${value}`;
  });
  return `a node ${labels.join(' and ')}`;
}

/** The part of a whole pod spec that says which nodes it may stand on. */
export function nodeSelectionOf({ nodeSelector, affinity }: PodSpec): NodeSelection {
  return { nodeSelector: nodeSelector as Record<string, string> | undefined, affinity };
}

/** A kind of node that a selection may match, but none of the others provably does; undefined when there is none. */
export function uncoveredBy(selection: NodeSelection, others: Record<string, NodeSelection>): string | undefined {
  const own = termsOf(selection);
  const terms = Object.values(others).map(termsOf);
  const kinds = nodeKinds([own, ...terms].flat(2));
  if (!kinds) return 'nodes (too many combinations of labels to tell)';
  const bare = kinds.find((kind) => anyTerm(own, kind) !== 'no' && !terms.some((other) => anyTerm(other, kind) === 'yes'));
  return bare && describe(bare);
}
