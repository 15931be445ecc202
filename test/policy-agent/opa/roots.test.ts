import { checkRoot, dataRoots, overlap, packageRoot } from '../../../lib/policy-agent/opa/roots';

test.each([
  ['', 'a', true],
  ['a', 'a', true],
  ['a', 'a/b', true],
  ['a/b', 'a', true],
  ['a', 'ab', false],
  ['a/b', 'a/c', false],
  ['system/authz', 'system/log', false],
])('roots %p and %p overlap: %p', (a, b, expected) => {
  expect(overlap(a, b)).toBe(expected);
});

test.each([
  ['package authz', 'authz'],
  ['# METADATA\n# title: x\npackage org.authz\n\nimport rego.v1', 'org/authz'],
  ['\n\n  package a["b-c"].d # x', 'a/b-c/d'],
  ['package a . b', 'a/b'],
])('the package of %j stands at %s', (rego, root) => {
  expect(packageRoot('x.rego', rego)).toBe(root);
});

test('data stands at its uppermost keys, or at its directory', () => {
  expect(dataRoots('data.json', '{"a": 1, "b": {"c": 2}}')).toEqual(['a', 'b']);
  expect(dataRoots('x/y/data.json', '{"a": 1}')).toEqual(['x/y']);
  expect(dataRoots('data.yaml', 'a: 1')).toBeUndefined();
});

test('slashes around a root are dropped', () => {
  expect(checkRoot('/a/b/', 'x')).toBe('a/b');
  expect(checkRoot('', 'x')).toBe('');
});
