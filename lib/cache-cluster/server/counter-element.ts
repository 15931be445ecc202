import { CacheCounterOptions, CacheCounterStorage, CacheCounterType } from '../cache-counter-options';
import { Element } from '../configuration/element';

/** A counter in the servers' configuration. */
export function counterElement(name: string, options: CacheCounterOptions): Element {
  const { type = CacheCounterType.STRONG, initialValue = 0, storage = CacheCounterStorage.VOLATILE, lowerBound, upperBound } = options;
  const numbers = { initialValue, lowerBound, upperBound };
  const odd = Object.entries(numbers).find(([, number]) => number !== undefined && !Number.isSafeInteger(number));
  if (odd) throw new Error(`${odd[0]} of counter ${name} must be a whole number, given ${odd[1]}`);
  if (type === CacheCounterType.WEAK && (lowerBound !== undefined || upperBound !== undefined)) {
    throw new Error(`bounds of counter ${name} need type STRONG: a weak one does not know its value when it is changed`);
  }
  if ((lowerBound ?? -Infinity) > initialValue || (upperBound ?? Infinity) < initialValue) {
    throw new Error(`initialValue of counter ${name} must be within its bounds, given ${initialValue}`);
  }
  return {
    name: type,
    attributes: { name, 'initial-value': initialValue, storage, 'lower-bound': lowerBound, 'upper-bound': upperBound },
  };
}
