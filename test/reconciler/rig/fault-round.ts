import { Random } from './random';
import { clusterOf, NAMESPACE, Program, ProgramOptions, Rig } from './rig';
import { ConfigDirection, ConfigRemoval } from '../../../lib/cache-cluster/reconciler/config-policies';
import { cacheRecord } from '../../../reconciler/src/caches/cache-record';
import { PAUSED, UNMANAGED } from '../../../reconciler/src/caches/marks';
import { appliedGeneration, READY } from '../../../reconciler/src/caches/user-resources';
import { InfinispanClient, ServerError } from '../../../reconciler/src/infinispan/infinispan-client';
import { ApiError } from '../../../reconciler/src/kubernetes/kubernetes-client';
import { CacheResource, cachesPath } from '../../../reconciler/src/kubernetes/objects';
import { messageOf } from '../../../reconciler/src/log';
import { eventually } from '../../support/http';

/** What goes wrong, and for how long. */
export interface Trouble {
  /** Where the program finds its server. */
  readonly url: string;
  readonly program?: ProgramOptions;
  /** Done now and then between what users do. */
  readonly strike?: (program: Program) => Promise<void>;
  /** From then on all is well. */
  readonly heal: (program: Program) => Promise<void>;
  /** Further things that must hold in the end. */
  readonly check?: (program: Program) => Promise<void>;
}

export interface FaultRoundOptions {
  readonly rig: Rig;
  /** As the administrator, past all trouble. */
  readonly server: InfinispanClient;
  /** Secret with the credentials; undefined when the server asks nobody. */
  readonly secret?: string;
  /** Whether the server reads XML, and refuses what is no cache. */
  readonly real: boolean;
  readonly random: Random;
  readonly trouble: Trouble;
}

const NAMES = ['a b', 'x/y', "it's", 'say "hi"', '100%', 'ü日本', 'MyCache', 'my_cache', 'my.cache', '_x', 'a\\b', 'a+b', '#h', '<b>&', 'cache1', 'x'.repeat(200)];
const STEPS = 25;

type Step = () => Promise<unknown>;

/**
 * Users do what comes to their minds, over REST and with resources, while things go wrong; then all is well, and everything must
 * be as if nothing had been wrong.
 */
export class FaultRound {
  /** What was done, for who must understand a failure. */
  public readonly story: string[] = [];
  private readonly names: string[];
  /** Resources of users, as they left them. */
  private readonly users = new Map<string, CacheResource>();
  /** Mirrors that a user has paused, as they were then; without a value those that are not any more. */
  private readonly paused = new Map<string, CacheResource>();
  /** Caches that nobody has removed, nor may the program. */
  private readonly lasting = new Set<string>();
  /** Caches of which a resource says that they may be removed. */
  private readonly removable = new Set<string>();
  private readonly direction: ConfigDirection;
  private readonly removal: ConfigRemoval;
  private number = 0;

  public constructor(private readonly options: FaultRoundOptions) {
    const { random } = options;
    this.names = random.several(NAMES, 8);
    this.direction = random.pick(Object.values(ConfigDirection));
    this.removal = random.pick(Object.values(ConfigRemoval));
    this.story.push(`${this.direction}, ${this.removal}`);
  }

  public async run(): Promise<void> {
    const { rig, random, trouble, secret } = this.options;
    const cluster = clusterOf({ url: trouble.url }, { secret, direction: this.direction, removal: this.removal });
    // Some things are there before the program is.
    for (let count = random.below(8); count > 0; count--) await this.step();
    const program = await rig.program([cluster], {}, trouble.program);
    try {
      for (let count = 0; count < STEPS; count++) {
        await this.step();
        if (random.chance(0.2)) await trouble.strike?.(program);
        if (random.chance(0.5)) await pause(random.below(40));
      }
      await trouble.heal(program);
      await this.endPauses();
      await eventually('all is as if nothing had been wrong', async () => this.check(), 40, 100);
      await program.untilReady(20);
      // It stays so when the program has done all that it wants to.
      await eventually('the queue is empty', async () => await program.metric('queue_length') === 0);
      await this.check();
      await trouble.check?.(program);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.story.join('\n')}\n${program.log}`);
    } finally {
      await program.kill();
    }
  }

  private async step() {
    const { random } = this.options;
    const cache = random.pick(this.names);
    const user = random.pick([undefined, ...this.users.keys()]);
    const steps: [number, Step][] = [
      [6, async () => this.create(cache)],
      [3, async () => this.remove(cache)],
      [3, async () => this.update(cache)],
      [3, async () => this.makeResource(cache)],
      [3, async () => user === undefined || this.changeResource(user)],
      [2, async () => user === undefined || this.removeResource(user)],
      [2, async () => this.touchMirror()],
    ];
    await random.pick(steps.flatMap(([weight, step]) => Array<Step>(weight).fill(step)))();
  }

  private async create(cache: string) {
    const configuration = this.configuration();
    const made = await this.ask(`POST ${cache}`, cache, async () => this.options.server.createCache(cache, configuration));
    if (made && !this.removable.has(cache)) this.lasting.add(cache);
  }

  private async remove(cache: string) {
    // Also where it is not known whether it was removed.
    this.lasting.delete(cache);
    await this.ask(`DELETE ${cache}`, cache, async () => this.options.server.removeCache(cache));
  }

  private async update(cache: string) {
    const configuration = this.configuration();
    await this.ask(`PUT ${cache}`, cache, async () => this.options.server.updateCache(cache, configuration));
  }

  /** Asks the server, which may say no, as the cache is there already, or nothing, as it was killed. Whether it said yes. */
  private async ask(what: string, cache: string, ask: () => Promise<void>): Promise<boolean> {
    try {
      await ask();
      this.story.push(what);
      return true;
    } catch (error) {
      if (!(error instanceof ServerError)) this.lasting.delete(cache);
      this.story.push(`${what}: ${messageOf(error)}`);
      return false;
    }
  }

  private configuration(): string {
    return JSON.stringify({ 'local-cache': { memory: { 'max-count': String(1 + this.options.random.below(5)) } } });
  }

  private template(): string | undefined {
    const { random, real } = this.options;
    if (random.chance(0.1)) return undefined;
    if (!real || random.chance(0.6)) return this.configuration();
    return random.pick([`<local-cache>\n  <memory max-count="${1 + random.below(5)}"/>\n</local-cache>`, '{"no-cache":{}}', 'local-cache']);
  }

  private async makeResource(cache: string) {
    const { rig, random } = this.options;
    const name = `user-${++this.number}`;
    const recreate = random.chance(0.2);
    if (this.direction === ConfigDirection.BOTH && (this.removal === ConfigRemoval.REMOVE || recreate)) {
      this.removable.add(cache);
      this.lasting.delete(cache);
    }
    const spec = { name: cache, template: this.template(), updates: { strategy: recreate ? 'recreate' as const : 'retain' as const } };
    this.story.push(`make ${name} for ${cache}: ${spec.template}`);
    this.users.set(name, await rig.user(name, spec, random.chance(0.2) ? { [random.pick([PAUSED, UNMANAGED])]: 'true' } : {}));
  }

  private async changeResource(name: string) {
    const { random } = this.options;
    const fields = random.pick([
      { spec: { template: this.template() ?? null } },
      { metadata: { labels: { team: `team-${random.below(3)}` } } },
      { metadata: { annotations: { note: `note-${random.below(3)}` } } },
      { metadata: { annotations: { [PAUSED]: random.pick(['true', null]) } } },
    ]);
    this.story.push(`change ${name}: ${JSON.stringify(fields)}`);
    const changed = await this.write(name, fields);
    if (changed) this.users.set(name, changed);
  }

  private async removeResource(name: string) {
    this.story.push(`remove ${name}`);
    this.users.delete(name);
    await again(async () => {
      const found = await this.options.rig.resource(name);
      if (found) await this.options.rig.api.remove(cachesPath(NAMESPACE), found.metadata);
    });
  }

  /** Somebody takes hold of what is not his. */
  private async touchMirror() {
    const { rig, random } = this.options;
    const mirror = random.pick([undefined, ...await rig.mirrors()]);
    if (!mirror || this.paused.has(mirror.metadata.name) || this.users.has(mirror.metadata.name)) return;
    const { name } = mirror.metadata;
    const deed = random.pick(['remove', 'change', 'rename', 'pause', 'take over']);
    this.story.push(`${deed} mirror ${name} of ${mirror.spec.name}`);
    if (deed === 'remove') await rig.api.remove(cachesPath(NAMESPACE), mirror.metadata).catch(refusal);
    if (deed === 'change') await this.write(name, { spec: { template: '<local-cache/>' } });
    if (deed === 'rename') await this.write(name, { spec: { name: random.pick(this.names) } });
    if (deed === 'pause') {
      const paused = await this.write(name, { metadata: { annotations: { [PAUSED]: 'true' } } });
      if (paused) this.paused.set(name, paused);
    }
    if (deed === 'take over') {
      const taken = await this.write(name, { metadata: { annotations: { [UNMANAGED]: 'true' } } });
      if (taken) this.users.set(name, taken);
    }
  }

  /** Undefined when it is gone. */
  private async write(name: string, fields: object): Promise<CacheResource | undefined> {
    return again(async () => {
      const found = await this.options.rig.resource(name);
      return found && this.options.rig.api.patch<CacheResource>(cachesPath(NAMESPACE), found.metadata, fields);
    });
  }

  /** Nobody has written what was paused; then it is not paused any more, so that in the end all must be in step. */
  private async endPauses() {
    for (const [name, before] of this.paused) {
      const now = await this.options.rig.resource(name);
      same(`the paused mirror ${name}`, now && written(now), written(before));
      await this.write(name, { metadata: { annotations: { [PAUSED]: null } } });
    }
  }

  private async check(): Promise<true> {
    const { rig, server } = this.options;
    const resources = await rig.resources();
    const caches = await server.cacheNames();
    const records = resources.map(cacheRecord);
    const users = records.filter(({ madeBy }) => madeBy === undefined);
    const mirrors = resources.filter((_, index) => records[index].madeBy !== undefined);
    const claimed = new Set(users.map(({ cache }) => cache));
    same('caches with a mirror', mirrors.map(({ spec }) => spec.name).sort(), caches.filter((cache) => !claimed.has(cache)).sort());
    for (const { spec } of mirrors) same(`the mirror of ${spec.name}`, spec.template, await server.cache(spec.name!));

    same('resources of users', users.map(({ name }) => name).sort(), [...this.users.keys()].sort());
    for (const resource of resources.filter(({ metadata }) => this.users.has(metadata.name))) {
      same(`what the user said in ${resource.metadata.name}`, written(resource), written(this.users.get(resource.metadata.name)!));
    }
    same('caches that are lost', [...this.lasting].filter((cache) => !caches.includes(cache)), []);
    if (this.direction === ConfigDirection.SERVER_TO_RESOURCES) return true;

    for (const user of users.filter(({ paused, unmanaged }) => !paused && !unmanaged)) {
      const ready = user.conditions?.find(({ type }) => type === READY);
      // What was not applied is told with the reason.
      if (ready?.status !== 'False') same(`the generation of ${user.name} that is applied`, [ready?.status, appliedGeneration(user)], ['True', user.generation]);
      if (ready?.status === 'True') same(`cache and finalizer of ${user.name}`, [caches.includes(user.cache), user.finalizer], [true, this.removal === ConfigRemoval.REMOVE]);
    }
    return true;
  }
}

/** What is the user's of a resource. */
function written({ metadata: { labels, annotations = {} }, spec }: CacheResource) {
  return { labels, annotations, spec };
}

function same(what: string, found: unknown, expected: unknown) {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

/** The program writes at the same time: as long as that gets in the way, it is tried again. What is gone is undefined. */
async function again<T>(write: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (refusal(error) === 404) return undefined;
    }
  }
}

/** The status of an answer that says no. */
function refusal(error: unknown): number {
  if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
  return error.status;
}

async function pause(ms: number) {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
