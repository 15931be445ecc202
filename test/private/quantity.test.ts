import { parseQuantity } from '../../lib/private/quantity';

test.each([
  ['250m', 0.25], ['1', 1], ['0.5', 0.5], ['.5', 0.5], ['2k', 2000], ['128Mi', 128 * 2 ** 20], ['1Gi', 2 ** 30], ['1e3', 1000], ['1E3', 1000], ['1E', 1e18], ['12E-1', 1.2],
])('%s is %d', (quantity, expected) => {
  expect(parseQuantity(quantity, 'x')).toBeCloseTo(expected);
});

test.each(['', 'abc', '1 Mi', '-1', '1mi', '1KB', '1e', '0x10'])('fails for %j', (quantity) => {
  expect(() => parseQuantity(quantity, 'memory')).toThrow(`memory must be a Kubernetes quantity such as 250m or 128Mi, given ${JSON.stringify(quantity)}`);
});
