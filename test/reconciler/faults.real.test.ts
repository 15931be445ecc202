import { IncomingMessage } from 'http';
import { join } from 'path';
import { FaultRound, Trouble } from './rig/fault-round';
import { Fault, FaultyProxy } from './rig/faulty-proxy';
import { Infinispan, PASSWORD, USER } from './rig/infinispan';
import { Random } from './rig/random';
import { Program, ProgramOptions, Rig, SECRET } from './rig/rig';
import { StandIn } from './rig/stand-in';
import { InfinispanClient } from '../../reconciler/src/infinispan/infinispan-client';

/** Of each kind. */
const ROUNDS = Number(process.env.FAULTS_ROUNDS ?? 20);
if (!(ROUNDS >= 1)) throw new Error(`FAULTS_ROUNDS is ${process.env.FAULTS_ROUNDS}; a number from 1 on is allowed`);
/** Of the first round; each further one has the next number, so that one round is repeated by its own. */
const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** A real server takes seconds to start, so of so many rounds that kill a server one has a real one. */
const REAL_RESTARTS = 10;

let rig: Rig;
let server: Infinispan;

beforeAll(async () => {
  console.log(`FAULTS_SEED=${SEED} FAULTS_ROUNDS=${ROUNDS}`);
  [rig, server] = await Promise.all([Rig.start(), Infinispan.start()]);
});

afterAll(async () => {
  await rig?.stop();
  await server?.clean();
});

interface Kind {
  /** Undefined: the real server. */
  readonly standIn?: (seed: number) => boolean;
  readonly trouble: (random: Random, standIn?: StandIn) => Promise<Trouble & { readonly stop?: () => Promise<void> }>;
}

const isStream = ({ url }: IncomingMessage) => url!.includes('action=listen');
const isWatch = ({ url }: IncomingMessage) => url!.includes('watch=true');

/** A proxy before the server that ends the stream after random bytes, and at random moments; and now and then another answer. */
const streamCut = (clean: boolean): Kind => ({
  trouble: async (random) => {
    const dice = random.fork();
    const proxy = await FaultyProxy.start({
      target: server.url,
      fault: (request) => {
        if (isStream(request) && dice.chance(0.7)) return { cut: { after: dice.below(6000), clean } };
        // One that has a length cannot be ended in good order before it.
        return !isStream(request) && dice.chance(0.1) ? { cut: { after: dice.below(100), clean: false } } : undefined;
      },
    });
    return {
      url: proxy.url,
      strike: async () => proxy.cutStreams(clean),
      heal: async () => proxy.heal(),
      stop: async () => proxy.stop(),
    };
  },
});

/** A proxy before the API server. */
const apiTrouble = (fault: (request: IncomingMessage, dice: Random) => Fault | undefined, program: ProgramOptions = {}): Kind => ({
  trouble: async (random) => {
    const dice = random.fork();
    const proxy = await FaultyProxy.start({
      target: rig.apiServer,
      ca: rig.plane.authority.cert,
      certificate: await rig.plane.authority.issue('proxy', [], ['127.0.0.1']),
      fault: (request) => fault(request, dice),
    });
    return {
      url: server.url,
      program: { ...program, apiServer: proxy.url },
      strike: async () => proxy.cutStreams(dice.chance(0.5)),
      heal: async () => proxy.heal(),
      stop: async () => proxy.stop(),
    };
  },
});

const cut = (dice: Random, clean: boolean): Fault => ({ cut: { after: dice.below(4000), clean } });
const refusal = (status: number, headers: Record<string, string> = {}): Fault =>
  ({ answer: { status, headers, body: JSON.stringify({ kind: 'Status', code: status, message: 'made up by a test' }) } });
const TOO_OLD: Fault = { answer: { status: 200, body: `${JSON.stringify({ type: 'ERROR', object: { code: 410, message: 'too old resource version' } })}\n` } };

const KINDS: Record<string, Kind> = {
  'the stream ends in good order at random bytes': streamCut(true),

  'the stream is cut at random bytes': streamCut(false),

  'the server is killed and started again': {
    standIn: (seed) => seed % REAL_RESTARTS !== 0,
    trouble: async (random, standIn) => {
      const url = standIn?.url ?? server.url;
      const isUp = () => up;
      let up = true;
      const kill = async () => standIn ? standIn.stop() : server.daemon.stop(random.pick(['SIGKILL', 'SIGTERM']));
      const start = async () => standIn ? standIn.restart() : server.daemon.start();
      const toggle = async () => {
        await (up ? kill() : start());
        up = !up;
      };
      return {
        url,
        strike: toggle,
        heal: async () => {
          if (!isUp()) await toggle();
          if (!standIn) await server.untilReady();
        },
      };
    },
  },

  'the API server answers 409, 429 and 500': apiTrouble((_, dice) => dice.chance(0.3)
    ? dice.pick([refusal(409), refusal(429, { 'retry-after': '1' }), refusal(500), refusal(500)]) : undefined),

  'the API server does not answer': apiTrouble((_, dice) => dice.chance(0.15)
    ? { silent: dice.pick(['before the peer has it', 'after the peer did it']) } : undefined,
  { preload: join(__dirname, 'rig', 'short-patience.cjs'), env: { PATIENCE_MS: '500' } }),

  'watches are dropped': apiTrouble((request, dice) => isWatch(request)
    ? dice.pick<Fault | undefined>([cut(dice, true), cut(dice, false), refusal(410), TOO_OLD, undefined]) : undefined),

  'the program is killed': {
    trouble: async (random) => ({
      url: server.url,
      strike: async (program) => {
        if (!program.running) {
          await program.restart();
          await pause(random.below(500));
        } else {
          await pause(random.below(60));
          await program.kill();
          if (random.chance(0.5)) await program.restart();
        }
      },
      heal: async (program) => {
        if (!program.running) await program.restart();
      },
    }),
  },

  'clocks jump': {
    trouble: async (random) => {
      // Reconnects and tries anew need time to be counted, too.
      const { trouble } = streamCut(false);
      const started = performance.now();
      return {
        ...await trouble(random),
        program: { preload: join(__dirname, 'rig', 'jumping-clock.cjs'), env: { CLOCK_SEED: String(random.below(2 ** 32)) } },
        strike: async (program: Program) => program.freeze(random.below(200)),
        check: async (program: Program) => {
          const seconds = (performance.now() - started) / 1000;
          const years = [...program.log.matchAll(/"time":"(\d+)-/g)].map(([, year]) => Number(year));
          expect(years).not.toEqual([]);
          // No line tells the true time.
          expect(years).not.toContain(new Date().getFullYear());
          const lag = await program.metric('lag_seconds_total') / await program.metric('reconciled_total');
          expect(lag).toBeGreaterThanOrEqual(0);
          expect(lag).toBeLessThan(seconds);
        },
      };
    },
  },
};

test.each(Object.keys(KINDS))('whatever happens while %s, all is in step in the end', async (kind) => {
  for (let seed = SEED; seed < SEED + ROUNDS; seed++) {
    const { standIn: usesStandIn = () => false, trouble } = KINDS[kind];
    const random = new Random(seed);
    const standIn = usesStandIn(seed) ? await StandIn.start() : undefined;
    const made = await trouble(random, standIn);
    const credentials = () => standIn ? undefined : { username: USER, password: PASSWORD };
    const client = new InfinispanClient({ url: standIn?.url ?? server.url, credentials });
    try {
      await new FaultRound({ rig, server: client, secret: standIn ? undefined : SECRET, real: !standIn, random, trouble: made }).run();
    } catch (error) {
      throw new Error(`Repeat it: FAULTS_SEED=${seed} FAULTS_ROUNDS=1 npx jest -c test/jest.real.config.js test/reconciler/faults -t '${kind}'\n${(error as Error).message}`);
    } finally {
      client.close();
      await made.stop?.();
      await standIn?.stop().catch(() => undefined);
      await rig.clear();
    }
    if (!standIn) await server.clear();
    const done = seed - SEED + 1;
    if (done % 20 === 0) process.stderr.write(`${kind}: ${done} of ${ROUNDS} rounds\n`);
  }
}, ROUNDS * 60_000);

async function pause(ms: number) {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
