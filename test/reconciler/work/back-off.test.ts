import * as fc from 'fast-check';
import { backOffMs, pause } from '../../../reconciler/src/work/back-off';

test('delays are doubled, and lie between a half and all of that', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, random) => {
    const ms = backOffMs(failures, { firstMs: 100, longestMs: 30_000, random: () => random });
    const whole = Math.min(30_000, 100 * 2 ** (failures - 1));
    expect(ms).toBeGreaterThanOrEqual(whole / 2);
    expect(ms).toBeLessThanOrEqual(whole);
  }));
});

test('a pause ends with the signal, and leaves no timer', async () => {
  const controller = new AbortController();
  const paused = pause(1_000_000, controller.signal);
  controller.abort();
  await paused;
  await pause(1_000_000, controller.signal);
});
