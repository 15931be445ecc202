import { createHash } from 'crypto';
import { CacheConfiguration } from '../configuration/cache-configuration';
import { Element, escapeXml, toXml } from '../configuration/element';
import { CacheConfigurationFormat } from '../configuration/format';

/** A cache or template in the servers' configuration. */
export interface StaticDefinition {
  readonly kind: 'cache' | 'template';
  readonly name: string;
  readonly configuration: CacheConfiguration;
}

interface StaticCounter {
  readonly name: string;
  readonly element: Element;
}

/** Caches, templates and counters that stand in the servers' own configuration. */
export class StaticDefinitions {
  private readonly definitions = new Map<string, StaticDefinition>();
  private readonly templated = new Map<string, string>();
  private readonly counters: StaticCounter[] = [];
  private readonly resources = new Set<string>();

  public add(definition: StaticDefinition) {
    const key = `${definition.kind} ${definition.name}`;
    if (this.definitions.has(key) || this.templated.has(definition.name)) throw new Error(`${key} is declared more than once`);
    if (!definition.configuration._element) refuseOddRaw(definition);
    this.definitions.set(key, definition);
  }

  /** A cache that is like a template. */
  public addTemplated(name: string, template: string) {
    if (!this.template(template)) {
      throw new Error(`template ${template} of cache ${name} is not one of this cluster's: add it by addTemplate first, or give a configuration`);
    }
    if (this.definitions.has(`cache ${name}`) || this.templated.has(name)) throw new Error(`cache ${name} is declared more than once`);
    this.templated.set(name, template);
  }

  public addCounter(counter: StaticCounter) {
    if (this.counters.some(({ name }) => name === counter.name)) throw new Error(`counter ${counter.name} is declared more than once`);
    this.counters.push(counter);
  }

  /** Notes a cache that is a resource, and so does not stand here. */
  public leaveToResource(name: string) {
    this.resources.add(name);
  }

  public isResource(name: string): boolean {
    return this.resources.has(name);
  }

  public get cacheNames(): string[] {
    return [...this.caches().map(({ name }) => name), ...this.templated.keys()];
  }

  /** Caches of which a server that stops takes entries along. */
  public get volatileCaches(): string[] {
    const own = this.caches().filter(({ configuration }) => configuration._volatile).map(({ name }) => name);
    const templated = [...this.templated].filter(([, template]) => this.template(template)!.configuration._volatile).map(([name]) => name);
    return [...own, ...templated];
  }

  /** What identifies each definition, to compare releases by. */
  public checksums(): Record<string, string> {
    const checksum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    return Object.fromEntries([
      ...this.caches().map(({ name, configuration }) => [name, checksum(configuration.render())] as const),
      ...[...this.templated].map(([name, template]) => [name, checksum(this.template(template)!.configuration.render())] as const),
    ].sort(([a], [b]) => a < b ? -1 : 1));
  }

  /** Configuration files by name; the server lays them over each other in this order. */
  public files(): Record<string, string> {
    const raw = (format: CacheConfigurationFormat) =>
      [...this.definitions.values()].filter(({ configuration }) => !configuration._element && configuration.format === format);
    const [json, yaml] = [raw(CacheConfigurationFormat.JSON), raw(CacheConfigurationFormat.YAML)];
    return {
      'caches.xml': this.xml(),
      ...(json.length > 0 && {
        'caches.json': `{"infinispan":{"cache-container":{"caches":{${json.map(({ name, configuration }) => `${JSON.stringify(name)}:${configuration.render()}`).join(',')}}}}}`,
      }),
      ...(yaml.length > 0 && {
        'caches.yaml': `infinispan:\n  cacheContainer:\n    caches:\n${yaml.map(({ name, configuration }) =>
          `      ${JSON.stringify(name)}:\n${indent(configuration.render(), '        ')}`).join('')}`,
      }),
    };
  }

  private caches(): StaticDefinition[] {
    return [...this.definitions.values()].filter(({ kind }) => kind === 'cache');
  }

  private template(name: string): StaticDefinition | undefined {
    return this.definitions.get(`template ${name}`);
  }

  private xml(): string {
    const all = [...this.definitions.values()];
    const typed = all.filter(({ configuration }) => configuration._element).map(({ kind, name, configuration: { _element } }) => ({
      ..._element!,
      name: kind === 'template' ? `${_element!.name}-configuration` : _element!.name,
      attributes: { name, ..._element!.attributes },
    }));
    // Templates come before the caches that are like them.
    typed.sort((a, b) => Number(b.name.endsWith('-configuration')) - Number(a.name.endsWith('-configuration')));
    const templated = [...this.templated].map(([name, configuration]) => ({
      name: this.template(configuration)!.configuration._element!.name, attributes: { name, configuration },
    }));
    const raw = all.filter(({ configuration }) => !configuration._element && configuration.format === CacheConfigurationFormat.XML)
      .map(({ name, configuration }) => `    ${configuration.render().replace(XML_ROOT, `$<start> name="${escapeXml(name).replaceAll('$', '$$$$')}"`).trim()}\n`);
    const counters = this.counters.length === 0 ? '' : toXml({ name: 'counters', children: this.counters.map(({ element }) => element) }, '    ');
    return `<infinispan>\n  <cache-container>\n${[...typed, ...templated].map((element) => toXml(element, '    ')).join('')}${raw.join('')}` +
      `${counters}  </cache-container>\n</infinispan>\n`;
  }
}

/** The root element of a cache without a name; what stands before it (a declaration, comments) is left out. */
const XML_ROOT = /^(?:\s|<\?[^]*?\?>|<!--[^]*?-->)*(?<start><[a-z]+-cache)(?=[\s/>])/;
const YAML_ROOT = /^(?:#.*\n|\s*\n)*['"]?([a-z]+Cache|[a-z]+-cache)['"]?\s*:/;

/** In the servers' configuration a raw cache must be nothing but the cache: it is put beside others. */
function refuseOddRaw({ kind, name, configuration }: StaticDefinition) {
  const text = configuration.render();
  if (kind === 'template') throw new Error(`template ${name} must be a typed configuration: a raw one is a cache`);
  const problem = {
    [CacheConfigurationFormat.XML]: () => {
      if (!XML_ROOT.test(text)) return 'its first element must be such as <distributed-cache>';
      return /^<[^>]*\sname\s*=/.test(text.slice(XML_ROOT.exec(text)![0].length - XML_ROOT.exec(text)!.groups!.start.length)) ? 'it must not have a name' : undefined;
    },
    [CacheConfigurationFormat.JSON]: () => jsonProblem(text),
    [CacheConfigurationFormat.YAML]: () => {
      // Quotes do not help: the server's reader looks for the colon before them.
      if (/[:"\\#]/.test(name)) return 'the server reads no YAML key like its name; give it in XML or JSON';
      return YAML_ROOT.test(text) ? undefined : 'its first key must be such as distributedCache';
    },
  }[configuration.format]();
  if (problem) throw new Error(`raw configuration of cache ${name} in ${configuration.format} cannot stand in the servers' configuration: ${problem}`);
}

function jsonProblem(text: string): string | undefined {
  let keys: string[];
  try {
    keys = Object.keys(JSON.parse(text));
  } catch (error) {
    return (error as Error).message;
  }
  return keys.length === 1 && /^[a-z]+-cache$/.test(keys[0]) ? undefined : `it must have one key such as distributed-cache, given ${keys.join(', ') || 'none'}`;
}

/** Deeper, as a whole: YAML means the same then. */
function indent(text: string, by: string): string {
  return `${text.replace(/\n$/, '').split('\n').map((line) => line === '' ? '' : by + line).join('\n')}\n`;
}
