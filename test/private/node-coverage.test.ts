import * as fc from 'fast-check';
import { nodeCoverage, NodeSelection } from '../../lib/private/node-coverage';

type Requirement = { key: string; operator: string; values?: string[] };
const required = (...terms: Requirement[][]): NodeSelection => {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
};
const zone = (operator: string, ...values: string[]): Requirement => ({ key: 'zone', operator, values });

test.each<[string, Record<string, NodeSelection>, ReturnType<typeof nodeCoverage>]>([
  ['one without conditions covers all', { a: {} }, {}],
  ['In leaves the others', { a: required([zone('In', '1')]) }, { uncovered: 'a node with another value of label zone' }],
  ['In and NotIn', { a: required([zone('In', '1', '2')]), b: required([zone('NotIn', '1', '2')]) }, {}],
  ['Exists and DoesNotExist', { a: required([{ key: 'gpu', operator: 'Exists' }]), b: required([{ key: 'gpu', operator: 'DoesNotExist' }]) }, {}],
  ['NotIn also selects nodes without the label', {
    a: required([zone('NotIn', '1')]), b: required([{ key: 'zone', operator: 'DoesNotExist' }]),
  }, { uncovered: 'a node with label zone=1', overlapping: { first: 'a', second: 'b', nodes: 'a node without label zone' } }],
  ['a node selector', { a: { nodeSelector: { zone: '1' } }, b: required([zone('NotIn', '1')]) }, {}],
  ['several terms are alternatives', { a: required([zone('In', '1')], [zone('NotIn', '1')]) }, {}],
  ['two keys', {
    a: required([zone('In', '1'), { key: 'gpu', operator: 'Exists' }]),
    b: required([zone('In', '1'), { key: 'gpu', operator: 'DoesNotExist' }]),
    c: required([zone('NotIn', '1')]),
  }, {}],
  ['comparison cannot be proven to cover or to exclude', { a: required([{ key: 'cpu', operator: 'Gt', values: ['4'] }]), b: required([{ key: 'cpu', operator: 'Lt', values: ['5'] }]) }, {
    uncovered: 'a node with label cpu=4', overlapping: { first: 'a', second: 'b', nodes: 'a node with label cpu=4' },
  }],
])('%s', (_, selections, expected) => {
  expect(nodeCoverage(selections)).toEqual(expected);
});

test('fields of a node are never provable', () => {
  const byName: NodeSelection = {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] } } },
  };
  expect(nodeCoverage({ a: byName, b: {} })).toMatchObject({ overlapping: { first: 'a', second: 'b' } });
  expect(nodeCoverage({ a: byName }).uncovered).toBeDefined();
});

test('very many combinations are not provable', () => {
  const many = required(Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' })));
  expect(nodeCoverage({ a: many, b: {} })).toEqual({
    uncovered: 'nodes (too many combinations of labels to tell)',
    overlapping: { first: 'a', second: 'b', nodes: 'nodes (too many combinations of labels to tell)' },
  });
});

describe('on random selections, what is claimed holds for random nodes', () => {
  const keys = ['k1', 'k2'];
  const values = ['v1', 'v2', 'v3'];
  const requirement = fc.record({ key: fc.constantFrom(...keys), operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'), values: fc.subarray(values, { minLength: 1 }) })
    .map(({ key, operator, values: some }): Requirement => operator.endsWith('In') ? { key, operator, values: some } : { key, operator });
  const term = fc.array(requirement, { minLength: 1, maxLength: 3 });
  const selection = fc.array(term, { minLength: 1, maxLength: 2 }).map((terms) => required(...terms));
  const node = fc.record(Object.fromEntries(keys.map((key) => [key, fc.option(fc.constantFrom(...values, 'v4'), { nil: undefined })])));

  /** As the scheduler sees it. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#set-based-requirement */
  const selects = (one: NodeSelection, labels: Record<string, string | undefined>) =>
    one.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms.some(({ matchExpressions }) =>
      matchExpressions!.every(({ key, operator, values: allowed = [] }) => {
        const value = labels[key];
        switch (operator) {
          case 'In': return value !== undefined && allowed.includes(value);
          case 'NotIn': return value === undefined || !allowed.includes(value);
          case 'Exists': return value !== undefined;
          default: return value === undefined;
        }
      }));

  test('covered nodes are selected, disjoint selections never share a node, and both verdicts are exact', () => {
    const some = fc.array(selection, { minLength: 1, maxLength: 3 });
    fc.assert(fc.property(some, fc.array(node, { minLength: 30, maxLength: 30 }), (selections, nodes) => {
      const coverage = nodeCoverage(Object.fromEntries(selections.map((one, index) => [String(index), one])));
      for (const labels of nodes) {
        const count = selections.filter((one) => selects(one, labels)).length;
        if (!coverage.uncovered) expect(count).toBeGreaterThan(0);
        if (!coverage.overlapping) expect(count).toBeLessThan(2);
      }
      // Exact: with every combination of known and unknown values at hand, a claimed gap or overlap is found.
      const all = [...values, 'v4', undefined].flatMap((k1) => [...values, 'v4', undefined].map((k2) => ({ k1, k2 })));
      const counts = all.map((labels) => selections.filter((one) => selects(one, labels)).length);
      expect(coverage.uncovered !== undefined).toBe(counts.includes(0));
      expect(coverage.overlapping !== undefined).toBe(counts.some((count) => count > 1));
    }));
  });
});
