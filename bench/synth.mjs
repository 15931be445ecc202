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

/** Apps in each sample, by the number of agents in an app: enough work that a sample's first moments do not matter. */
const APPS = { 10: 20, 100: 2, 1000: 1 };
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

function requireSameYaml(count, checksums) {
  const [library, hand] = [byLibrary(count), byHand(count, checksums)].map((yaml) => [...yaml.split('\n'), 'the end']);
  const line = library.findIndex((text, index) => text !== hand[index]);
  if (line < 0) return;
  console.error(`the YAML of ${count} agents differs from the hand-written one at line ${line + 1}: bring by-hand.mjs up to date`);
  console.error(`- by hand: ${hand[line]}\n+ library: ${library[line]}`);
  process.exit(1);
}

function millisecondsOfApp(count, synthesise) {
  collectGarbage();
  const start = performance.now();
  for (let app = 0; app < APPS[count]; app++) synthesise();
  return (performance.now() - start) / APPS[count];
}

/** Both sides by turns, each first in every other round, so that a slow moment of the machine hits both. */
function compare(count, rounds, checksums) {
  const library = [];
  const hand = [];
  const timeLibrary = () => library.push(millisecondsOfApp(count, () => byLibrary(count)));
  const timeHand = () => hand.push(millisecondsOfApp(count, () => byHand(count, checksums)));
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
for (const count of counts) requireSameYaml(count, checksums);
console.log(`YAML by the library and by hand is the same, byte for byte, for ${counts.join(', ')} agents\n`);

compare(100, WARM_UP_ROUNDS, checksums);

console.log('agents  library ms  by hand ms  library us/agent  by hand us/agent  ratio');
const perAgent = {};
for (const count of counts) {
  const { library, hand, ratio } = compare(count, ROUNDS, checksums);
  perAgent[count] = library / count;
  const cells = [library.toFixed(1).padStart(10), hand.toFixed(1).padStart(10), micro(library / count), micro(hand / count), ratio.toFixed(3)];
  console.log(`${String(count).padStart(6)}  ${cells.join('  ')}  ${goal(ratio, GOALS.ratio)}`);
}
const growth = perAgent[1000] / perAgent[100];
console.log(`\ntime per agent, 1,000 agents against 100: ${growth.toFixed(2)}  ${goal(growth, GOALS.growth)}`);

const seconds = wholeCommandSeconds();
console.log(`whole command, 200 Cerbos agents: ${seconds.toFixed(2)} s  ${goal(seconds, GOALS.commandSeconds)}; 200 runs of helm template: ${HELM_SECONDS} s`);

if (missed > 0 && process.argv.includes('--strict')) process.exitCode = 1;

function micro(ms) {
  return (ms * 1000).toFixed(0).padStart(16);
}
