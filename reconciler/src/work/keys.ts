/** What is to be looked at, as one text: what the server has of a kind, such as `cache`, under a name. */
export function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** The kind, and the name, in which anything may stand. */
export function partsOf(key: string): [kind: string, name: string] {
  const end = key.indexOf('/');
  return [key.slice(0, end), key.slice(end + 1)];
}
