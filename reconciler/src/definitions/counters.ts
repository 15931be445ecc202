import { Refused, ServerObject, ServerObjects } from './server-objects';
import { InfinispanClient } from '../infinispan/infinispan-client';

/** What the server says of what was left out. */
const DEFAULTS: Record<string, string> = {
  'initial-value': '0',
  'storage': 'VOLATILE',
  'lower-bound': '-9223372036854775808',
  'upper-bound': '9223372036854775807',
  'lifespan': '-1',
  'concurrency-level': '16',
};

/** Counters, which never change: another one has another value, too. */
export class Counters implements ServerObjects {
  public readonly refusal = /Unexpected (element|attribute)|ISPN0295\d\d/;

  public constructor(private readonly server: InfinispanClient) {}

  public async read(name: string): Promise<ServerObject | undefined> {
    return this.server.ifThere({ path: `${pathOf(name)}/config`, headers: { accept: 'application/json' } });
  }

  public async agrees(definition: string, text: string): Promise<boolean> {
    const [[wantedType, wanted], [type, found]] = [partsOf(definition), partsOf(text)];
    // What a later server tells in addition is nobody's wish.
    const known = Object.keys({ ...DEFAULTS, ...wanted }).filter((name) => name !== 'name');
    const value = (fields: Record<string, unknown>, name: string) => String(fields[name] ?? DEFAULTS[name]);
    return wantedType === type && known.every((name) => value(wanted, name) === value(found, name));
  }

  public async create(name: string, definition: string) {
    partsOf(definition);
    await this.server.must({ path: pathOf(name), method: 'POST', headers: { 'content-type': 'application/json' }, body: definition });
  }

  public async remove(name: string) {
    await this.server.ifThere({ path: pathOf(name), method: 'DELETE' });
  }
}

function pathOf(name: string): string {
  return `/counters/${encodeURIComponent(name)}`;
}

/** Type and settings of a counter, as `{"strong-counter":{…}}` says them. */
function partsOf(json: string): [type: string, settings: Record<string, unknown>] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new Refused(`a counter is defined by JSON: ${(error as Error).message}`);
  }
  const [entry, ...more] = Object.entries(parsed ?? {});
  if (!entry || more.length > 0 || typeof entry[1] !== 'object' || entry[1] === null) {
    throw new Refused(`a counter is defined as {"strong-counter":{}} or {"weak-counter":{}}, given ${json.slice(0, 200)}`);
  }
  return entry;
}
