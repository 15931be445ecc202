import * as fc from 'fast-check';
import { mergePatch, mergePodTemplate } from '../../lib/private/merge';

describe('a merge patch', () => {
  // The examples of RFC 7386, appendix A.
  test.each<[any, any, any]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [['a', 'b'], ['c', 'd'], ['c', 'd']],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j is %j', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  test('removes by $patch, too, since null does not come through from other languages', () => {
    const patch = { a: { $patch: 'delete' }, b: { c: { $patch: 'delete' } } };
    expect(mergePatch({ a: 1, b: { c: 2, d: 3 } }, patch)).toEqual({ b: { d: 3 } });
    expect(mergePodTemplate({ a: 1, b: { c: 2, d: 3 } }, patch)).toEqual({ b: { d: 3 } });
  });

  test('changes neither of its arguments, and what it does not name stays', () => {
    // A prototype is refused.
    const object = fc.object({ key: fc.string().filter((key) => key !== '__proto__') });
    fc.assert(fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const result = mergePatch(target, patch);
      expect(JSON.stringify([target, patch])).toBe(before);
      for (const key of Object.keys(target)) if (!(key in patch)) expect(result[key]).toEqual((target as any)[key]);
    }));
  });
});

describe('a pod template', () => {
  test('turns no list into something else, which would be a mistake', () => {
    expect(() => mergePodTemplate({ containers: [] }, { containers: { name: 'a' } })).toThrow(
      'containers is a list, and pod overrides must give a list for it, given {"name":"a"}',
    );
    expect(mergePodTemplate({ labels: { env: 'a' } }, { labels: { env: 'b' } })).toEqual({ labels: { env: 'b' } });
  });

  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
  const container = (name: string) => fc.record({
    name: fc.constant(name),
    image: fc.string(),
    env: names.map((variables) => variables.map((variable) => ({ name: variable, value: name }))),
  });
  const containers = names.chain((all) => fc.tuple(...all.map(container)));

  test('keeps every container, volume and variable, once each and in order', () => {
    fc.assert(fc.property(containers, containers, (target, patch) => {
      const result = mergePodTemplate({ spec: { containers: target } }, { spec: { containers: patch } }).spec.containers as any[];
      const expected = [...new Set([...target, ...patch].map(({ name }) => name))];
      expect(result.map(({ name }) => name)).toEqual(expected);
      for (const { name, image, env } of patch) {
        const merged = result.find((candidate) => candidate.name === name);
        expect(merged.image).toBe(image);
        const old = target.find((candidate) => candidate.name === name)?.env ?? [];
        expect(merged.env.map((variable: any) => variable.name)).toEqual([...new Set([...old, ...env].map((variable) => variable.name))]);
      }
    }));
  });
});
