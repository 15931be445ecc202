import { isObject, Json } from '../private/merge';

/** Replaces words in braces in all strings of a value; undefined if one of the words is not known. */
export function fillIn(value: any, words: Record<string, string | undefined>): any {
  let unknown = false;
  const fill = (item: any): any => {
    if (typeof item === 'string') {
      // Only what is given as a word: braces are common in code.
      return item.replace(/(?<!\$)\{([a-z][-a-zA-Z0-9]*)\}/g, (text, word) => {
        unknown ||= words[word] === undefined;
        return words[word] ?? text;
      });
    }
    if (Array.isArray(item)) return item.map(fill);
    return isObject(item) ? Object.fromEntries(Object.entries(item as Json).map(([key, inner]) => [key, fill(inner)])) : item;
  };
  const filled = fill(value);
  return unknown ? undefined : filled;
}
