/** What the server has by name. */
export type ServerKind = 'cache' | 'counter' | 'schema' | 'task' | 'template';

/** What is to be looked at, as one text. */
export function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** The kind, and the name, in which anything may stand. */
export function partsOf(key: string): [kind: string, name: string] {
  const end = key.indexOf('/');
  return [key.slice(0, end), key.slice(end + 1)];
}
