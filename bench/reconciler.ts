/**
 * What the config-reconciler costs and how fast it is, with the real Infinispan and the real API server on this machine, beside
 * what was measured of the operator's own listener (`npm run bench:reconciler`). A missed goal fails with `--strict`.
 */
import { cpus, loadavg } from 'os';
import { KubernetesClient } from '../reconciler/src/kubernetes/kubernetes-client';
import { cachesPath } from '../reconciler/src/kubernetes/objects';
import { bundleReconciler } from '../scripts/bundle-reconciler';
import { Infinispan } from '../test/reconciler/rig/infinispan';
import { clusterOf, NAMESPACE, Program, Rig } from '../test/reconciler/rig/rig';
import { StandIn } from '../test/reconciler/rig/stand-in';

/** Seconds of doing nothing. */
const REST_SECONDS = 60;
/** Seconds after which memory is what it stays. */
const SETTLED_SECONDS = 10;
/** Requests to the server at a time where many caches are made. */
const WIDTH = 8;
const KIB = 1024;
const MIB = 1024 * KIB;

interface Row {
  readonly figure: string;
  /** Of the operator's listener; `text` where it is no number. */
  readonly upstream: number | string;
  /** At most. */
  readonly goal: number;
  readonly measured: number;
  readonly unit: string;
  readonly digits?: number;
}

const WIDEST = 52;
const notes: string[] = [];
let missed = false;

/** Prints a figure as soon as it is known. */
function report({ figure, upstream, goal, measured, unit, digits = 0 }: Row) {
  const number = (value: number | string) => typeof value === 'string' ? value : `${value.toFixed(digits)} ${unit}`.trim();
  // Half of what is shown of a figure is no difference.
  const pass = measured <= goal + 0.5 * 10 ** -digits;
  missed ||= !pass;
  const ratio = typeof upstream === 'number' && upstream > 0 && measured > 0 ? `${(upstream / measured).toPrecision(2)}x` : '';
  line(figure, number(upstream), number(goal), number(measured), ratio, pass ? 'pass' : 'FAIL');
}

function line(figure: string, ...cells: string[]) {
  console.log(`${figure.padEnd(WIDEST)}${cells.map((cell) => cell.padStart(13)).join('')}`);
}

async function sleep(seconds: number) {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function quantile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)];
}

/** When each cache's resource came and went, as a watch tells. */
class Witness {
  private readonly there = new Set<string>();
  private readonly waiting = new Map<string, (at: number) => void>();
  private readonly stopped = new AbortController();
  private readonly done: Promise<void>;

  public constructor(api: KubernetesClient, version: string) {
    const query = { resourceVersion: version, timeoutSeconds: '3600' };
    this.done = api.watch(cachesPath(NAMESPACE), query, ({ type, object }) => {
      if (type === 'BOOKMARK') return;
      const name: string = object.spec.name;
      if (type === 'DELETED') this.there.delete(name);
      else this.there.add(name);
      const key = `${type === 'DELETED' ? 'gone' : 'there'} ${name}`;
      this.waiting.get(key)?.(performance.now());
      this.waiting.delete(key);
    }, this.stopped.signal).catch((error) => {
      if (!this.stopped.signal.aborted) console.error('the watch has ended', error);
    });
  }

  /** When it is so. */
  public async until(state: 'there' | 'gone', name: string): Promise<number> {
    if (this.there.has(name) === (state === 'there')) return performance.now();
    return new Promise((resolve) => this.waiting.set(`${state} ${name}`, resolve));
  }

  public async stop() {
    this.stopped.abort();
    await this.done;
  }
}

interface Bench {
  readonly rig: Rig;
  readonly server: Infinispan;
  readonly witness: Witness;
}

interface Times {
  /** Milliseconds from sending the request to what the watch tells. */
  readonly seen: number[];
  /** Milliseconds that the request itself took. */
  readonly asked: number[];
}

/** One after another: each is seen before the next is sent. */
async function oneByOne({ witness }: Bench, state: 'there' | 'gone', names: string[], ask: (name: string) => Promise<void>): Promise<Times> {
  const times: Times = { seen: [], asked: [] };
  for (const name of names) {
    const seen = witness.until(state, name);
    const started = performance.now();
    await ask(name);
    times.asked.push(performance.now() - started);
    times.seen.push(await seen - started);
  }
  return times;
}

async function many(names: string[], ask: (name: string) => Promise<void>) {
  const left = [...names];
  await Promise.all(Array.from({ length: WIDTH }, async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await ask(name);
  }));
}

const named = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `cache ${from + index}`);

const QUANTILES = [0.5, 0.99];

function latency(figure: string, { seen, asked }: Times, upstream: number[], goals: number[]) {
  notes.push(`${figure}: the REST call itself takes ${quantile(asked, 0.5).toFixed(0)} ms (p50)`);
  QUANTILES.forEach((share, index) =>
    report({ figure: `${figure}, p${share * 100}`, upstream: upstream[index], goal: goals[index], measured: quantile(seen, share), unit: 'ms' }));
}

/** As fast as before but for the server, whose own call takes longer; and a tenth, by which two runs of the same differ. */
function noSlower(before: Times, after: Times, share: number): number {
  return quantile(before.seen, share) * 1.1 + Math.max(0, quantile(after.asked, share) - quantile(before.asked, share));
}

async function memory(program: Program, what: string, upstream: number | string, goal: number) {
  await sleep(SETTLED_SECONDS);
  report({ figure: `private memory, ${what}`, upstream, goal, measured: program.privateMemory() * KIB / MIB, unit: 'MiB', digits: 1 });
}

async function requests(program: Program, what: string, count: number, upstream: number | string, goal: number, deed: () => Promise<unknown>) {
  const before = await program.requests();
  await deed();
  report({ figure: `API requests per ${what}`, upstream, goal, measured: (await program.requests() - before) / count, unit: '', digits: 1 });
}

/** How long, and at what cost, a program starts that has nothing to do. */
async function restart(program: Program, caches: number) {
  await program.kill();
  const started = performance.now();
  await program.restart();
  while ((await program.page('/readyz').catch(() => undefined))?.status !== 200) await sleep(0.01);
  const seconds = (performance.now() - started) / 1000;
  const figure = `restart with ${caches} unchanged caches`;
  report({ figure: `${figure}, until ready`, upstream: 6.7 * 60, goal: 3, measured: seconds, unit: 's', digits: 2 });
  report({ figure: `${figure}, processor time`, upstream: 57, goal: 1, measured: program.processorSeconds(), unit: 's', digits: 2 });
  report({ figure: `${figure}, writes`, upstream: 0, goal: 0, measured: await program.writes(), unit: '' });
}

async function rest(program: Program) {
  await sleep(SETTLED_SECONDS);
  const [asked, used] = [await program.requests(), program.processorSeconds()];
  await sleep(REST_SECONDS);
  const processor = program.processorSeconds() - used;
  report({ figure: `API requests in ${REST_SECONDS} s at rest`, upstream: 0, goal: 0, measured: await program.requests() - asked, unit: '' });
  // The kernel counts in hundredths; one is what asking for the figures costs.
  report({ figure: `processor time in ${REST_SECONDS} s at rest`, upstream: 0, goal: 0.01, measured: processor, unit: 's', digits: 2 });
}

/** Events of any length, each followed by a cache that must not wait for them. */
async function longEvents(bench: Bench, program: Program) {
  for (const [size, bytes] of [['73 kB', 73_000], ['1 MB', 1_000_000], ['7 MB', 7_000_000]] as const) {
    const aliases = Array.from({ length: bytes / 100 }, (_, index) => `${bytes}-${index}-${'a'.repeat(85)}`);
    const { seen: [big] } = await oneByOne(bench, 'there', [size], async (name) => bench.server.create(name, { 'local-cache': { aliases } }));
    const { seen: [small] } = await oneByOne(bench, 'there', [`after ${size}`], async (name) => bench.server.create(name));
    const reconnects = await program.metric('reconnects_total');
    report({ figure: `an event of ${size}: reconnects`, upstream: 'endless', goal: 0, measured: reconnects, unit: '' });
    notes.push(`an event of ${size}: its resource is there after ${big.toFixed(0)} ms, that of the next cache after ${small.toFixed(0)} ms`);
  }
}

async function withoutOperator(bench: Bench) {
  const { rig, server } = bench;
  const program = await rig.program([clusterOf(server)], { logLevel: 'info' });
  await program.untilReady();
  await memory(program, 'no caches', 8.4, 12);

  const create = async (name: string) => server.create(name);
  const remove = async (name: string) => server.remove(name);
  let few!: Times;
  await requests(program, 'created cache', 200, 5, 1, async () => few = await oneByOne(bench, 'there', named(0, 200), create));
  latency('POST to resource, 0 to 200', few, [234, 495], [60, 120]);

  const burst = named(200, 1000);
  const seen = Promise.all(burst.map(async (name) => bench.witness.until('there', name)));
  const started = performance.now();
  await many(burst, create);
  const posted = performance.now();
  const last = Math.max(...await seen);
  report({ figure: 'burst of 800: last resource after the last POST', upstream: 285, goal: 1, measured: Math.max(0, last - posted) / 1000, unit: 's', digits: 2 });
  notes.push(`burst of 800: the POSTs take ${((posted - started) / 1000).toFixed(1)} s, ${WIDTH} at a time (upstream: 72 s)`);

  await memory(program, '1,000 caches', 17.0, 17);
  await rest(program);
  const more = await oneByOne(bench, 'there', named(1000, 1200), create);
  latency('POST to resource, 1,000 there', more, [630, 739], QUANTILES.map((share) => noSlower(few, more, share)));
  let removed!: Times;
  await requests(program, 'removed cache', 350, 3, 1, async () => removed = await oneByOne(bench, 'gone', named(850, 1200), remove));
  latency('DELETE to resource gone', removed, [417, 532], [40, 90]);
  await restart(program, 850);
  await longEvents(bench, program);

  await program.kill();
  await rig.clear();
}

/** The real server takes half an hour for so many, so the one that stands in for it has them. */
async function manyCaches({ rig }: Bench) {
  const standIn = await StandIn.start();
  try {
    for (const name of named(0, 10_000)) standIn.put(name);
    const program = await rig.program([clusterOf(standIn, { secret: undefined })], { logLevel: 'info' });
    const started = performance.now();
    await program.untilReady(300);
    notes.push(`10,000 caches are shown in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    await memory(program, '10,000 caches of a stand-in', 'not measured', 40);
    await program.kill();
  } finally {
    await standIn.stop();
    await rig.clear();
  }
}

/** The operator deletes a cache with its resource unless it is told not to, which is a request more. */
async function withOperator(bench: Bench) {
  const { rig, server } = bench;
  const names = named(0, 50);
  await rig.plane.kubectl.apply([{
    apiVersion: 'infinispan.org/v1', kind: 'Infinispan', metadata: { name: 'sessions', namespace: NAMESPACE }, spec: { replicas: 1, configListener: { enabled: false } },
  }]);
  const program = await rig.program([clusterOf(server, { operator: true })], { logLevel: 'info' });
  await program.untilReady();
  await oneByOne(bench, 'there', names, async (name) => server.create(name));
  await requests(program, 'removed cache, with the operator', names.length, 3, 2, async () => oneByOne(bench, 'gone', names, async (name) => server.remove(name)));
  await program.kill();
}

async function main() {
  const load = loadavg()[0].toFixed(1);
  console.log(`${cpus().length} processors, load ${load} at the start: client, server, API server and program share them, and figures of a busy machine say little.`);
  console.log('Upstream: its listener, on real nodes on one machine of 2 processors; a ratio above 1 is ours to the good.\n');
  line('figure', 'upstream', 'goal', 'measured', 'ratio');
  const [rig, server] = await Promise.all([Rig.start(), Infinispan.start()]);
  try {
    const version = await rig.api.list(cachesPath(NAMESPACE), {}, () => undefined);
    const witness = new Witness(rig.api, version);
    const bench = { rig, server, witness };
    await withoutOperator(bench);
    await server.clear();
    await withOperator(bench);
    await witness.stop();
    await manyCaches(bench);
    report({ figure: 'size of the program', upstream: 45.9e6 / KIB, goal: 150, measured: Buffer.byteLength(bundleReconciler()) / KIB, unit: 'KiB', digits: 1 });
    if (missed && process.argv.includes('--strict')) process.exitCode = 1;
    console.log(`\n${notes.join('\n')}\nload ${loadavg()[0].toFixed(1)} at the end`);
  } finally {
    await rig.stop();
    await server.clean();
  }
}

void main();
