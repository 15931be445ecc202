import { isObject, Json } from '../private/merge';

/** Keys and indices that lead into a JSON value. */
export type Path = readonly string[];

const paths = new Map<string, Path>();

/** The keys of a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
export function pathOf(pointer: string): Path {
  // A few pointers, for thousands of objects.
  let path = paths.get(pointer);
  if (!path) paths.set(pointer, path = parse(pointer));
  return path;
}

function parse(pointer: string): Path {
  if (!/^(\/([^~/]|~[01])*)+$/.test(pointer)) throw new Error(`a JSON pointer begins with a slash, such as /spec/template/spec/affinity, given ${JSON.stringify(pointer)}`);
  return pointer.split('/').slice(1).map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path; undefined where there is none. */
export function valueAt(json: unknown, path: Path): any {
  return path.reduce<any>((value, key) => value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? value[key] : undefined, json);
}

/** The paths that a path with `*` for any key or index leads to. What comes before the last `*` must exist. */
export function expand(json: unknown, path: Path): Path[] {
  const star = path.indexOf('*');
  if (star < 0) return [path];
  const parent = valueAt(json, path.slice(0, star));
  const keys = parent !== null && typeof parent === 'object' ? Object.keys(parent) : [];
  return keys.flatMap((key) => expand(json, [...path.slice(0, star), key, ...path.slice(star + 1)]));
}

/** A copy whose value at the path is changed. Objects that are missing on the way are made. */
export function updateAt(json: any, path: Path, update: (value: any) => any): any {
  if (path.length === 0) return update(json);
  const [key, ...rest] = path;
  if (Array.isArray(json)) return json.map((item, index) => String(index) === key ? updateAt(item, rest, update) : item);
  const object: Json = isObject(json) ? json : {};
  return withKey(object, key, updateAt(object[key], rest, update));
}

/** A copy with a key set, in the place that cdk8s' sorting gives it. */
export function withKey<T extends object>(object: T, key: string, value: unknown): any {
  if (Object.hasOwn(object, key)) return { ...object, [key]: value };
  const entries = Object.entries(object);
  const next = entries.findIndex(([other]) => other > key);
  entries.splice(next < 0 ? entries.length : next, 0, [key, value]);
  return Object.fromEntries(entries);
}

/** A copy with all keys sorted, as cdk8s sorts them. */
export function sorted(value: any): any {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).filter((key) => value[key] !== undefined).sort().map((key) => [key, sorted(value[key])]));
}

/** Whether two JSON values are the same, in whatever order their keys are. */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}
