// How long synth takes with the library, set against the same objects written by hand (`npm run bench:synth`).
// Fails when the two differ. A missed goal fails with `--strict` only, since machines are noisy.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { addCerbos, addOpa, isOpa, newChart } from './agents.mjs';
import { addCerbosByHand, addOpaByHand } from './by-hand.mjs';
import { WAYS } from './clients.mjs';

/** Apps in each sample, by the number of agents in an app: enough work that a sample's first moments do not matter. */
const APPS = { 10: 20, 100: 2, 1000: 1 };
/** Rounds by the number of clients in an app. */
const CLIENT_ROUNDS = { 1000: 9, 10000: 5 };
const ROUNDS = 11;
const WARM_UP_ROUNDS = 2;
const COMMAND_RUNS = 7;
const GOALS = { ratio: 1.25, growth: 1.5, commandSeconds: 1.5 };
/** 200 runs of `helm template` of the Cerbos chart, one after the other, on a machine of this kind. */
const HELM_SECONDS = 20.3;
const CHECKSUM = 'cdk8s-platform-services/configuration-checksum';

// Garbage of one side must not be collected in the other's time.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

function byLibrary(count) {
  const chart = newChart();
  for (let number = 1; number <= count; number++) {
    if (isOpa(number)) addOpa(chart, `opa-${number}`);
    else addCerbos(chart, `cerbos-${number}`);
  }
  return chart.node.root.synthYaml();
}

function byHand(count, checksums) {
  const chart = newChart();
  for (let number = 1; number <= count; number++) {
    if (isOpa(number)) addOpaByHand(chart, `opa-${number}`, checksums[number - 1]);
    else addCerbosByHand(chart, `cerbos-${number}`, checksums[number - 1]);
  }
  return chart.node.root.synthYaml();
}

/** The one value that the hand-written side takes from the library, in the order of the agents. */
function checksumsOf(yaml) {
  return Array.from(yaml.matchAll(new RegExp(`${CHECKSUM}: (\\w+)`, 'g')), ([, checksum]) => checksum);
}

function requireSameYaml(what, file, byLibrary, byHand) {
  const [library, hand] = [byLibrary, byHand].map((yaml) => [...yaml.split('\n'), 'the end']);
  const line = library.findIndex((text, index) => text !== hand[index]);
  if (line < 0) return;
  console.error(`the YAML of ${what} differs from the hand-written one at line ${line + 1}: bring ${file} up to date`);
  console.error(`- by hand: ${hand[line]}\n+ library: ${library[line]}`);
  process.exit(1);
}

function millisecondsOfApp(apps, synthesise) {
  collectGarbage();
  const start = performance.now();
  for (let app = 0; app < apps; app++) synthesise();
  return (performance.now() - start) / apps;
}

/** Both sides by turns, each first in every other round, so that a slow moment of the machine hits both. */
function compare(apps, rounds, byLibrary, byHand) {
  const library = [];
  const hand = [];
  const timeLibrary = () => library.push(millisecondsOfApp(apps, byLibrary));
  const timeHand = () => hand.push(millisecondsOfApp(apps, byHand));
  for (let round = 0; round < rounds; round++) {
    for (const time of round % 2 ? [timeHand, timeLibrary] : [timeLibrary, timeHand]) time();
  }
  return { library: median(library), hand: median(hand), ratio: median(library.map((time, round) => time / hand[round])) };
}

function wholeCommandSeconds() {
  const outdir = mkdtempSync(join(tmpdir(), 'two-hundred-agents-'));
  const app = fileURLToPath(new URL('two-hundred-agents.mjs', import.meta.url));
  try {
    return median(Array.from({ length: COMMAND_RUNS }, () => {
      const start = performance.now();
      const { status } = spawnSync(process.execPath, [app, outdir], { stdio: ['ignore', 'ignore', 'inherit'] });
      if (status !== 0) throw new Error(`${app} ended with ${status}`);
      return (performance.now() - start) / 1000;
    }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

let missed = 0;
function goal(value, most) {
  const pass = value <= most;
  if (!pass) missed++;
  return `${pass ? 'pass' : 'FAIL'} (at most ${most})`;
}

const counts = Object.keys(APPS).map(Number);
const checksums = checksumsOf(byLibrary(Math.max(...counts)));
for (const count of counts) requireSameYaml(`${count} agents`, 'by-hand.mjs', byLibrary(count), byHand(count, checksums));
for (const [way, { library, hand }] of Object.entries(WAYS)) requireSameYaml(`clients by ${way}`, 'clients.mjs', library(100), hand(100));
console.log(`YAML by the library and by hand is the same, byte for byte, for ${counts.join(', ')} agents, and for clients by ${Object.keys(WAYS).join(' and ')}\n`);

const compareAgents = (count, rounds) => compare(APPS[count], rounds, () => byLibrary(count), () => byHand(count, checksums));
compareAgents(100, WARM_UP_ROUNDS);

console.log('agents  library ms  by hand ms  library us/agent  by hand us/agent  ratio');
const perAgent = {};
for (const count of counts) {
  const { library, hand, ratio } = compareAgents(count, ROUNDS);
  perAgent[count] = library / count;
  const cells = [library.toFixed(1).padStart(10), hand.toFixed(1).padStart(10), micro(library / count), micro(hand / count), ratio.toFixed(3)];
  console.log(`${String(count).padStart(6)}  ${cells.join('  ')}  ${goal(ratio, GOALS.ratio)}`);
}
const growth = perAgent[1000] / perAgent[100];
console.log(`\ntime per agent, 1,000 agents against 100: ${growth.toFixed(2)}  ${goal(growth, GOALS.growth)}`);

console.log('\nclients  named by            library ms  by hand ms  ratio');
for (const [way, { library, hand }] of Object.entries(WAYS)) {
  const perClient = {};
  for (const [count, rounds] of Object.entries(CLIENT_ROUNDS)) {
    const times = compare(1, rounds, () => library(Number(count)), () => hand(Number(count)));
    perClient[count] = times.library / count;
    const cells = [way.padEnd(19), times.library.toFixed(0).padStart(10), times.hand.toFixed(0).padStart(10), times.ratio.toFixed(3)];
    console.log(`${count.padStart(7)}  ${cells.join('  ')}  ${goal(times.ratio, GOALS.ratio)}`);
  }
  const clientGrowth = perClient[10000] / perClient[1000];
  console.log(`time per client, 10,000 clients against 1,000: ${clientGrowth.toFixed(2)}  ${goal(clientGrowth, GOALS.growth)}`);
}

const seconds = wholeCommandSeconds();
console.log(`whole command, 200 Cerbos agents: ${seconds.toFixed(2)} s  ${goal(seconds, GOALS.commandSeconds)}; 200 runs of helm template: ${HELM_SECONDS} s`);

if (missed > 0 && process.argv.includes('--strict')) process.exitCode = 1;

function micro(ms) {
  return (ms * 1000).toFixed(0).padStart(16);
}
