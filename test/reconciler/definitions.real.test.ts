import { Infinispan } from './rig/infinispan';
import { clusterOf, NAMESPACE, Program, Rig } from './rig/rig';
import { ConfigDirection, ConfigRemoval } from '../../lib/cache-cluster/reconciler/config-policies';
import { UPDATE_STRATEGY_ANNOTATION } from '../../lib/private/labels';
import { PAUSED, UNMANAGED } from '../../reconciler/src/caches/marks';
import { APPLIED } from '../../reconciler/src/definitions/definition-record';
import { eventually } from '../support/http';

let rig: Rig;
let server: Infinispan;
let program: Program | undefined;

beforeAll(async () => {
  [rig, server] = await Promise.all([Rig.start(), Infinispan.start()]);
});

afterAll(async () => {
  await rig?.stop();
  await server?.clean();
});

afterEach(async () => {
  await program?.kill();
  program = undefined;
  await rig.clear();
  await rig.plane.kubectl.run('delete', 'events.events.k8s.io', '--all', '--namespace', NAMESPACE);
  for (const name of ['A b', 'other']) {
    for (const kind of KINDS) await KIND[kind].remove(name);
  }
  await server.clear();
});

async function start(more: Parameters<typeof clusterOf>[1] = {}): Promise<Program> {
  program = await rig.program([clusterOf(server, more)], { definitions: true });
  await program.untilReady();
  return program;
}

const counter = (value: number, more: object = {}) => JSON.stringify({ 'strong-counter': { 'initial-value': value, ...more } });
const template = (count: number) => JSON.stringify({ 'local-cache-configuration': { memory: { 'max-count': String(count) } } });
const proto = (name: string, field = 'a') => `syntax = "proto2";\nmessage ${name} { optional string ${field} = 1; /* ü */ }\n`;
const script = (value: number) => `// mode=local,language=javascript\n// ü\n${value}`;

const encoded = encodeURIComponent;
const JSON_TYPE = { 'accept': 'application/json', 'content-type': 'application/json' };
async function read(path: string): Promise<string | undefined> {
  const { status, text } = await server.ask(path, { headers: { accept: '*/*' } });
  return status === 200 ? text : undefined;
}

/** How a user of the server does it himself; what is read is what distinguishes the examples. */
const KIND = {
  counter: {
    examples: [counter(1), counter(2)],
    read: async (name: string) => /"initial-value":"(\d)"/.exec(await read(`/counters/${encoded(name)}/config`) ?? '')?.[1],
    put: async (name: string, definition: string) => server.ask(`/counters/${encoded(name)}`, { method: 'POST', headers: JSON_TYPE, body: definition }),
    remove: async (name: string) => server.ask(`/counters/${encoded(name)}`, { method: 'DELETE' }),
  },
  template: {
    examples: [template(1), template(2)],
    read: async (name: string) => /"max-count":"(\d)"/.exec(await read(`/caches/${encoded(name)}?action=config`) ?? '')?.[1],
    put: async (name: string, definition: string) =>
      server.ask(`/tasks/@@template@create?action=exec&param.name=${encoded(name)}&param.configuration=${encoded(definition)}`, { method: 'POST' }),
    remove: async (name: string) => server.ask(`/tasks/@@template@remove?action=exec&param.name=${encoded(name)}`, { method: 'POST' }),
  },
  schema: {
    examples: [proto('One'), proto('Two')],
    read: async (name: string) => ({ One: '1', Two: '2' })[/message (\w+)/.exec(await read(`/schemas/${encoded(name)}.proto`) ?? '')?.[1] ?? ''],
    put: async (name: string, definition: string) => server.ask(`/schemas/${encoded(name)}`, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: definition }),
    remove: async (name: string) => server.ask(`/schemas/${encoded(name)}.proto`, { method: 'DELETE' }),
  },
  task: {
    examples: [script(1), script(2)],
    read: async (name: string) => /\d$/.exec(await read(`/tasks/${encoded(name)}?action=script`) ?? '')?.[0],
    put: async (name: string, definition: string) => server.ask(`/tasks/${encoded(name)}`, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: definition }),
    remove: async (name: string) => server.ask(`/caches/___script_cache/${encoded(name)}`, { method: 'DELETE' }),
  },
} as const;
type Kind = keyof typeof KIND;
const KINDS = Object.keys(KIND) as Kind[];

const serverHas = async (kind: Kind, which: string | undefined, name = 'A b') => eventually(`${kind} ${which}`, async () => await KIND[kind].read(name) === which);
const appliedOf = async (name: string) => (await rig.definition(name))?.metadata.annotations?.[APPLIED];
const applied = async (name: string) => eventually(`${name} is applied`, async () => await appliedOf(name) !== undefined);
const events = async () => (await rig.plane.kubectl.list('events.events.k8s.io', NAMESPACE))
  .map(({ reason, regarding, note }: any) => `${reason} ${regarding.kind} ${regarding.name}: ${note}`);
const said = async (pattern: RegExp) => eventually(`${pattern}`, async () => {
  expect(await events()).toEqual(expect.arrayContaining([expect.stringMatching(pattern)]));
  return true;
});
const stateOf = async (kind: Kind, state: string, count = 1) =>
  eventually(`a ${kind} is ${state}`, async () => await program!.metric('definitions{', `kind="${kind}",state="${state}"`) === count);

describe.each(KINDS)('a %s', (kind) => {
  const [first, second] = KIND[kind].examples;

  test('is made as its ConfigMap says, under any name, also when that was there before; and nothing else of the ConfigMap is written', async () => {
    const before = await rig.define('early', kind, { name: 'A b', definition: first });
    await start();
    await serverHas(kind, '1');
    await applied('early');
    await rig.define('late', kind, { name: 'other', definition: second });
    await serverHas(kind, '2', 'other');
    const { metadata, data } = (await rig.definition('early'))!;
    expect([data, metadata.labels]).toEqual([before.data, before.metadata.labels]);
    expect([metadata.finalizers, Object.keys(metadata.annotations!)]).toEqual([undefined, [APPLIED]]);
    await stateOf(kind, 'in-step', 2);
  });

  test('that was removed at the server is not made again, but said to be gone, until its annotation goes', async () => {
    await start();
    await rig.define('one', kind, { name: 'A b', definition: first });
    await applied('one');
    await program!.kill();
    await KIND[kind].remove('A b');
    await start();
    await said(new RegExp(`^DefinitionRemoved ConfigMap one: the ${kind} was removed at the server`));
    expect(await KIND[kind].read('A b')).toBeUndefined();
    await rig.redefine('one', { metadata: { annotations: { [APPLIED]: null } } });
    await serverHas(kind, '1');
    await stateOf(kind, 'in-step');
  });

  test('that was changed at the server stays so, and that is said', async () => {
    await start();
    await rig.define('one', kind, { name: 'A b', definition: first });
    await applied('one');
    await program!.kill();
    await KIND[kind].remove('A b');
    await KIND[kind].put('A b', second);
    await start();
    await said(/^Drifted ConfigMap one: the server has another definition/);
    expect(await KIND[kind].read('A b')).toBe('2');
    await stateOf(kind, 'drifted');
  });

  test('is left alone while it is paused or unmanaged', async () => {
    await start();
    await rig.define('one', kind, { name: 'A b', definition: first }, { [PAUSED]: 'true' });
    await rig.define('two', kind, { name: 'other', definition: first }, { [UNMANAGED]: 'true' });
    await stateOf(kind, 'paused');
    await stateOf(kind, 'unmanaged');
    expect([await KIND[kind].read('A b'), await KIND[kind].read('other'), await appliedOf('one')]).toEqual([undefined, undefined, undefined]);
    await rig.redefine('one', { metadata: { annotations: { [PAUSED]: null } } });
    await serverHas(kind, '1');
  });

  test('stays when its ConfigMap goes', async () => {
    await start();
    await rig.define('one', kind, { name: 'A b', definition: first });
    await applied('one');
    await rig.undefine('one');
    await eventually('looked at', async () => await program!.metric('definitions{') === 0);
    expect(await KIND[kind].read('A b')).toBe('1');
  });

  test('goes with its ConfigMap where that is wanted, also when nobody was there to see it; a paused one stays', async () => {
    await start({ removal: ConfigRemoval.REMOVE });
    await rig.define('one', kind, { name: 'A b', definition: first });
    await rig.define('two', kind, { name: 'other', definition: first });
    await applied('one');
    await applied('two');
    await program!.kill();
    await rig.undefine('one');
    await rig.redefine('two', { metadata: { annotations: { [PAUSED]: 'true' } } });
    await rig.undefine('two');
    await start({ removal: ConfigRemoval.REMOVE });
    await eventually('both go', async () => (await rig.definitions()).length === 0);
    expect([await KIND[kind].read('A b'), await KIND[kind].read('other')]).toEqual([undefined, '1']);
  });

  test('with two ConfigMaps is the older one\'s', async () => {
    await start();
    await rig.define('zebra', kind, { name: 'A b', definition: first });
    await applied('zebra');
    // Kubernetes tells times in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await rig.define('ant', kind, { name: 'A b', definition: second });
    await said(new RegExp(`^Conflict ConfigMap ant: ConfigMap zebra is older and stands for the same ${kind}`));
    await stateOf(kind, 'conflict');
    expect(await KIND[kind].read('A b')).toBe('1');
  });
});

describe('another definition', () => {
  test.each(['template', 'task'] as const)('changes a %s', async (kind) => {
    await start();
    const [first, second] = KIND[kind].examples;
    await rig.define('one', kind, { name: 'A b', definition: first });
    await applied('one');
    await rig.redefine('one', { data: { definition: second } });
    await serverHas(kind, '2');
    await stateOf(kind, 'in-step');
    expect(await events()).toEqual([]);
  });

  test('changes a schema in ways that old data survive', async () => {
    await start();
    await rig.define('one', 'schema', { name: 'A b', definition: proto('One') });
    await applied('one');
    await rig.redefine('one', { data: { definition: `${proto('One')}message More {}\n` } });
    await eventually('more', async () => (await read('/schemas/A%20b.proto'))?.includes('message More'));
    await stateOf('schema', 'in-step');
    expect(await events()).toEqual([]);
  });

  test('of a counter is refused, and makes it anew, with another value, only when asked for', async () => {
    await start();
    await rig.define('hits', 'counter', { name: 'A b', definition: counter(1) });
    await applied('hits');
    const before = await appliedOf('hits');
    await rig.redefine('hits', { data: { definition: counter(2) } });
    await said(/^Refused ConfigMap hits: the server has a counter of this name with other settings, which cannot be changed; annotation .*\/update-strategy: recreate has it made anew/);
    expect([await KIND.counter.read('A b'), await appliedOf('hits')]).toEqual(['1', before]);
    await rig.redefine('hits', { metadata: { annotations: { [UPDATE_STRATEGY_ANNOTATION]: 'recreate' } } });
    await serverHas('counter', '2');
    await stateOf('counter', 'in-step');
  });

  test('of a counter that means the same changes nothing', async () => {
    await KIND.counter.put('A b', counter(1));
    await start();
    await rig.define('hits', 'counter', { name: 'A b', definition: counter(1, { 'storage': 'VOLATILE', 'upper-bound': '9223372036854775807' }) });
    await applied('hits');
    expect(await events()).toEqual([]);
  });

  test('of a template may be in any format, and of a cache', async () => {
    await start();
    await rig.define('xml', 'template', { name: 'A b', definition: '<local-cache><memory max-count="1"/></local-cache>' });
    await serverHas('template', '1');
    await rig.redefine('xml', { data: { definition: 'localCacheConfiguration:\n  memory:\n    maxCount: 2\n' } });
    await serverHas('template', '2');
    await program!.restart();
    await program!.untilReady();
    await stateOf('template', 'in-step');
    expect([await events(), await server.names()]).toEqual([[], []]);
  });
});

describe('what the server refuses is said, and what it has stays', () => {
  test('a template that cannot be, without being tried on and on', async () => {
    await start();
    await rig.define('one', 'template', { name: 'A b', definition: template(1) });
    await applied('one');
    await rig.redefine('one', { data: { definition: '{"distributed-cache-configuration":{}}' } });
    await said(/^Refused ConfigMap one: the server answered 500: .*ISPN005034/);
    await serverHas('template', '1');
    const looks = await program!.metric('reconciled_total');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await program!.metric('reconciled_total')).toBe(looks);
  });

  test.each(['a: [', '<local-cache', '{"no-cache":{}}', '- x'])('another template, that cannot be read: %s', async (definition) => {
    await start();
    await rig.define('one', 'template', { name: 'A b', definition: template(1) });
    await applied('one');
    await rig.redefine('one', { data: { definition } });
    await said(/^Refused ConfigMap one: the server answered /);
    expect(await KIND.template.read('A b')).toBe('1');
  });

  test('a schema that is not compatible, unless it is asked to be made anew', async () => {
    await start();
    await rig.define('one', 'schema', { name: 'A b', definition: proto('One') });
    await applied('one');
    await rig.redefine('one', { data: { definition: proto('One', 'b') } });
    await said(/^Refused ConfigMap one: the server answered 500: IPROTO000039/);
    await rig.redefine('one', { metadata: { annotations: { [UPDATE_STRATEGY_ANNOTATION]: 'recreate' } } });
    await eventually('anew', async () => (await read('/schemas/A%20b.proto'))?.includes('string b'));
  });

  test('a schema that is wrong is the server\'s nevertheless; one that it needs cures it', async () => {
    await start();
    await rig.define('one', 'schema', { name: 'A b', definition: proto('One').replace('\n', '\nimport "other.proto";\n').replace('string', 'Two') });
    await said(/^Wrong ConfigMap one: Import 'other.proto' not found/);
    await stateOf('schema', 'refused');
    await rig.define('two', 'schema', { name: 'other.proto', definition: proto('Two') });
    await eventually('cured', async () => await program!.metric('definitions{', 'state="in-step"') === 2);
  });

  test.each<[string, Kind, string, RegExp]>([
    ['a counter that is no JSON', 'counter', 'x', /a counter is defined by JSON: /],
    ['a counter of no type', 'counter', '{}', /a counter is defined as \{"strong-counter":\{\}\} or/],
    ['a counter of another type', 'counter', '{"big-counter":{}}', /the server answered 400: ISPN000327/],
    ['a counter with a setting that is none', 'counter', counter(1, { bound: 1 }), /the server answered 500: Unexpected attribute 'bound'/],
    ['a counter outside its bounds', 'counter', counter(1, { 'lower-bound': 2 }), /the server answered 500: ISPN029508/],
    ['a template that cannot be read', 'template', '{"no-cache":{}}', /the server answered 400: ISPN000327/],
    ['a template too long for an address', 'template', JSON.stringify({ 'local-cache': { aliases: ['a'.repeat(4000)] } }), /the server takes a template in an address of 4096 characters at most, and this one needs \d+/],
    ['a task in no language', 'task', '// mode=local,language=klingon\n1', /the server answered 400: ISPN027507/],
    ['a task that does not compile', 'task', '// mode=local,language=javascript\nfunction (', /the server answered 500: ISPN027504/],
  ])('%s', async (_, kind, definition, message) => {
    await start();
    await rig.define('one', kind, { name: 'A b', definition });
    await said(new RegExp(`^Refused ConfigMap one: ${message.source}`));
    expect([await KIND[kind].read('A b'), await appliedOf('one')]).toEqual([undefined, undefined]);
    await stateOf(kind, 'refused');
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ['no name', 'counter', { definition: counter(1) }, /data.name is missing: the name on the server/],
    ['no definition', 'counter', { name: 'A b' }, /data.definition is missing/],
    ['a name of the server\'s own', 'template', { name: '___x', definition: template(1) }, /___x is a name that the server keeps for itself/],
    ['a kind that is none', 'cache', { name: 'A b', definition: '{}' }, /cache cannot be defined; there are counter, schema, task, template/],
  ])('a ConfigMap with %s', async (_, kind, data, message) => {
    await start();
    await rig.define('one', kind, data);
    await said(new RegExp(`^Invalid ConfigMap one: ${message.source}`));
  });
});

test('a cache that came before its template gets it, though the server has refused it', async () => {
  await start({ direction: ConfigDirection.BOTH });
  await rig.user('orders', { templateName: 'A b' });
  await eventually('refused', async () => (await rig.resource('orders'))?.status?.conditions?.some(({ message }) => message?.includes('ISPN000374')));
  await rig.define('small', 'template', { name: 'A b', definition: template(7) });
  await eventually('made', async () => (await server.names()).includes('orders'));
  expect(await read('/caches/orders?action=config')).toContain('7');
});

test('definitions are followed from when the configuration says so, and until it does not', async () => {
  const one = program = await rig.program([clusterOf(server)]);
  await one.untilReady();
  await rig.define('early', 'counter', { name: 'A b', definition: counter(1) });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await KIND.counter.read('A b')).toBeUndefined();
  one.configure({ definitions: true });
  await serverHas('counter', '1');
  one.configure({ definitions: false });
  await eventually('forgotten', async () => await one.metric('definitions{') === 0);
  await rig.define('late', 'counter', { name: 'other', definition: counter(1) });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await KIND.counter.read('other')).toBeUndefined();
});
