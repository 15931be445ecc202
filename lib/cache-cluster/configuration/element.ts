/** What an attribute may hold. */
export type Scalar = string | number | boolean;

/** One part of an Infinispan configuration, whatever format it is written in. */
export interface Element {
  readonly name: string;
  /** Those that are undefined are left out; a list is separated by spaces in XML. */
  readonly attributes?: Record<string, Scalar | string[] | undefined>;
  /** Several of one name are a list in JSON and YAML. */
  readonly children?: Element[];
  /** A list of texts, each in an element of its own in XML. */
  readonly texts?: { readonly item: string; readonly values: string[] };
  /** Children that one of their attributes tells apart; JSON and YAML use its value as a key. */
  readonly keyed?: { readonly by: string; readonly children: Element[] };
}

/** As XML, indented. */
export function toXml(element: Element, indent = ''): string {
  const attributes = Object.entries(element.attributes ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(Array.isArray(value) ? value.join(' ') : String(value))}"`);
  const inner = [
    ...[...(element.children ?? []), ...(element.keyed?.children ?? [])].map((child) => toXml(child, `${indent}  `)),
    ...(element.texts?.values ?? []).map((text) => `${indent}  <${element.texts!.item}>${escapeXml(text)}</${element.texts!.item}>\n`),
  ].join('');
  const start = `${indent}<${element.name}${attributes.join('')}`;
  return inner ? `${start}>\n${inner}${indent}</${element.name}>\n` : `${start}/>\n`;
}

/** As JSON: an object with one key, the element's name. */
export function toJson(element: Element): string {
  return `${JSON.stringify({ [element.name]: contents(element) }, undefined, 2)}\n`;
}

/** As YAML, with keys in camel case. Scalars are quoted and never folded. */
export function toYaml(element: Element): string {
  return yamlLines({ [element.name]: contents(element) }, '').join('');
}

function contents(element: Element): unknown {
  if (element.texts) return element.texts.values;
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(element.attributes ?? {})) {
    if (value !== undefined) result[name] = value;
  }
  for (const { name } of element.children ?? []) {
    const same = element.children!.filter((child) => child.name === name).map(contents);
    result[name] = same.length === 1 ? same[0] : same;
  }
  for (const child of element.keyed?.children ?? []) {
    const { [element.keyed!.by]: key, ...attributes } = child.attributes!;
    result[String(key)] = new Keyed({ [child.name]: contents({ ...child, attributes }) });
  }
  return result;
}

/** A value whose key is the user's: it is not put into camel case. */
class Keyed {
  public constructor(private readonly value: Record<string, unknown>) {}

  public toJSON(): Record<string, unknown> {
    return this.value;
  }
}

function yamlLines(object: Record<string, unknown>, indent: string): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const key = value instanceof Keyed ? JSON.stringify(name) : camelCase(name);
    const inner = value instanceof Keyed ? value.toJSON() : value;
    if (Array.isArray(inner)) return [`${indent}${key}:\n`, ...inner.flatMap((item) => yamlItem(item, `${indent}  `))];
    if (typeof inner !== 'object' || inner === null) return [`${indent}${key}: ${JSON.stringify(String(inner))}\n`];
    if (Object.keys(inner).length === 0) return [`${indent}${key}: ~\n`];
    return [`${indent}${key}:\n`, ...yamlLines(inner as Record<string, unknown>, `${indent}  `)];
  });
}

function yamlItem(item: unknown, indent: string): string[] {
  if (typeof item !== 'object' || item === null) return [`${indent}- ${JSON.stringify(String(item))}\n`];
  const [first, ...rest] = yamlLines(item as Record<string, unknown>, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** In attributes and in text alike. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
