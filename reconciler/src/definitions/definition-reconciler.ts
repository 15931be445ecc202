import { Counters } from './counters';
import { APPLIED, ConfigMap, DEFINITION_KINDS, DefinitionIndex, DefinitionKind, DefinitionRecord, definitionRecord } from './definition-record';
import { Schemas } from './schemas';
import { Refused, ServerObject, ServerObjects } from './server-objects';
import { Tasks } from './tasks';
import { Templates } from './templates';
import { ConfigRemoval } from '../../../lib/cache-cluster/reconciler/config-policies';
import { UPDATE_STRATEGY_ANNOTATION } from '../../../lib/private/labels';
import { CacheState, hashOf } from '../caches/cache-record';
import { FINALIZER } from '../caches/marks';
import { ownersOf } from '../caches/ownership';
import { InfinispanClient, isInternal, ServerError } from '../infinispan/infinispan-client';
import { EventRecorder } from '../kubernetes/event-recorder';
import { FIELD_MANAGER, KubernetesClient } from '../kubernetes/kubernetes-client';
import { keyOf, partsOf } from '../work/keys';

export interface DefinitionReconcilerOptions {
  readonly cluster: string;
  readonly server: InfinispanClient;
  readonly kubernetes: KubernetesClient;
  readonly index: DefinitionIndex;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly removal: ConfigRemoval;
  /** Is told what the server was given: it may have refused other things for want of it. */
  readonly gave: (kind: string, name: string) => void;
}

interface Verdict {
  readonly state: CacheState;
  /** What is wrong, for people. */
  readonly reason?: string;
  readonly message?: string;
  /** Hash of what the server was given. */
  readonly applied?: string;
}

/** What a manager states no more is removed, so each has its own. */
const APPLIED_MANAGER = `${FIELD_MANAGER}-applied`;
const FINALIZER_MANAGER = `${FIELD_MANAGER}-finalizer`;

/** Gives the server what ConfigMaps define, and writes to them what it was given. What is wrong is reported. */
export class DefinitionReconciler {
  private readonly kinds: Record<DefinitionKind, ServerObjects>;
  private readonly states = new Map<string, CacheState>();
  /** What was refused, by the ConfigMap: to try may change the server for a moment, and what that leads to must not be the next try. */
  private readonly refusals = new Map<string, { readonly tried: string; readonly verdict: Verdict }>();
  private readonly path: string;

  public constructor(private readonly options: DefinitionReconcilerOptions) {
    const { server, namespace } = options;
    this.kinds = { counter: new Counters(server), schema: new Schemas(server), task: new Tasks(server), template: new Templates(server) };
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  /** Brings one of them in step, from what is true at this moment; whatever led to it. */
  public async reconcile(kind: string, name: string): Promise<void> {
    const { cluster, index } = this.options;
    const key = keyOf(kind, name);
    const owned = () => ownersOf(index.of(cluster, key));
    const { user: known, leaving: going } = owned();
    const wanted = known ?? going[0];
    if (!wanted) {
      this.states.delete(key);
      return;
    }
    const objects = this.kinds[kind as DefinitionKind] as ServerObjects | undefined;
    const found = objects && wanted.object !== undefined ? await objects.read(name) : undefined;
    // A ConfigMap that came meanwhile brings the key again.
    const { user, rivals, leaving } = owned();
    for (const one of leaving) await this.letGo(one, objects, found, user !== undefined);
    if (!user) {
      this.states.delete(key);
      return;
    }
    for (const rival of rivals) await this.refuseRival(rival, user);
    const state = await this.follow(user, objects, found);
    this.states.set(key, rivals.length > 0 ? 'conflict' : state);
  }

  /** Keys of what of a kind the server has refused, or finds wrong. */
  public refused(kind: string): string[] {
    return [...this.states].filter(([key, state]) => state === 'refused' && partsOf(key)[0] === kind).map(([key]) => key);
  }

  /** How many definitions are in each state, by kind and state. */
  public countStates(): { readonly kind: string; readonly state: CacheState; readonly count: number }[] {
    const counts = new Map<string, { kind: string; state: CacheState; count: number }>();
    for (const [key, state] of this.states) {
      const [kind] = partsOf(key);
      const counted = counts.get(`${kind} ${state}`) ?? { kind, state, count: 0 };
      counts.set(`${kind} ${state}`, counted);
      counted.count++;
    }
    return [...counts.values()];
  }

  private async follow(record: DefinitionRecord, objects: ServerObjects | undefined, found: ServerObject | undefined): Promise<CacheState> {
    if (record.paused) return 'paused';
    if (record.unmanaged) return 'unmanaged';
    const current = record.finalizer === this.removes ? record : await this.stateFinalizer(record, this.removes);
    const wrong = this.invalid(current);
    if (wrong) return this.report(current, { state: 'refused', reason: 'Invalid', message: wrong });
    return this.report(current, await this.apply(current, objects!, found));
  }

  private async apply(record: DefinitionRecord, objects: ServerObjects, found: ServerObject | undefined): Promise<Verdict> {
    const { kind, hash, applied, uid, recreate } = record;
    const tried = [hash, recreate, found && hashOf(found.text)].join(' ');
    const refused = this.refusals.get(uid);
    if (refused?.tried === tried) return refused.verdict;
    try {
      if (applied === hash) {
        if (found) return await agrees(objects, record, found) ? verdictOf(found, hash) : { ...DRIFTED, applied };
        const message = `the ${kind} was removed at the server; it is made again when the ConfigMap changes, or loses its annotation ${APPLIED}`;
        return { state: 'missing', reason: 'DefinitionRemoved', message, applied };
      }
      const given = await this.give(record, objects, found);
      return verdictOf(given, hash);
    } catch (error) {
      if (!isRefusal(error, objects)) throw error;
      const verdict: Verdict = { state: 'refused', reason: 'Refused', message: (error as Error).message, applied };
      this.refusals.set(uid, { tried, verdict });
      return verdict;
    }
  }

  /** Makes or changes it; returns what the server has then. */
  private async give(record: DefinitionRecord, objects: ServerObjects, found: ServerObject | undefined): Promise<ServerObject> {
    const { object, definition, recreate, kind } = record;
    if (found && await agrees(objects, record, found)) return found;
    if (!found) {
      await objects.create(object!, definition!);
    } else if (objects.update) {
      try {
        await objects.update(object!, definition!, found.text);
      } catch (error) {
        if (!recreate || !isRefusal(error, objects)) throw error;
        await recreated(objects, object!, definition!, found);
      }
    } else if (recreate) {
      await recreated(objects, object!, definition!, found);
    } else {
      throw new Refused(`the server has a ${kind} of this name with other settings, which cannot be changed; annotation ${UPDATE_STRATEGY_ANNOTATION}: recreate has it made anew`);
    }
    this.options.gave(kind, object!);
    return await objects.read(object!) ?? { text: definition! };
  }

  /** A second ConfigMap for the same: it is only told so. */
  private async refuseRival(rival: DefinitionRecord, user: DefinitionRecord) {
    if (rival.paused || rival.unmanaged) return;
    await this.report(rival, { state: 'conflict', reason: 'Conflict', message: `ConfigMap ${user.name} is older and stands for the same ${user.kind}`, applied: rival.applied });
  }

  /** One that is being removed: with the finalizer, and where no other stands for the same, the server's is removed, too. */
  private async letGo(record: DefinitionRecord, objects: ServerObjects | undefined, found: ServerObject | undefined, claimed: boolean) {
    this.options.events.forget(record.uid);
    if (!record.finalizer) return;
    const wanted = this.removes && !record.paused && !record.unmanaged && !claimed && !this.invalid(record);
    if (wanted && found) await objects!.remove(record.object!);
    await this.stateFinalizer(record, false);
  }

  private get removes(): boolean {
    return this.options.removal === ConfigRemoval.REMOVE;
  }

  private invalid({ kind, object, definition }: DefinitionRecord): string | undefined {
    if (!Object.hasOwn(this.kinds, kind)) return `${kind} cannot be defined; there are ${DEFINITION_KINDS.join(', ')}`;
    if (object === undefined) return 'data.name is missing: the name on the server';
    if (isInternal(object)) return `${object} is a name that the server keeps for itself`;
    return definition ? undefined : 'data.definition is missing';
  }

  private async report(record: DefinitionRecord, { state, reason, message, applied }: Verdict): Promise<CacheState> {
    const { events, kubernetes, index } = this.options;
    if (reason) await events.warn({ kind: 'ConfigMap', name: record.name, uid: record.uid }, reason, message!);
    else events.forget(record.uid);
    if (applied !== undefined && applied !== record.applied) {
      index.learn(await kubernetes.apply(this.path, record, APPLIED_MANAGER, { ...KIND, metadata: { annotations: { [APPLIED]: applied } } }));
    }
    return state;
  }

  private async stateFinalizer(record: DefinitionRecord, wanted: boolean): Promise<DefinitionRecord> {
    const { kubernetes, index } = this.options;
    const stated = { ...KIND, metadata: wanted ? { finalizers: [FINALIZER] } : {} };
    const answer = await kubernetes.apply<ConfigMap>(this.path, record, FINALIZER_MANAGER, stated);
    index.learn(answer);
    // What is written next is written to this version, which the watch may have told already.
    return definitionRecord(answer);
  }
}

const KIND = { apiVersion: 'v1', kind: 'ConfigMap' };
const DRIFTED: Verdict = { state: 'drifted', reason: 'Drifted', message: 'the server has another definition' };

async function agrees(objects: ServerObjects, { definition }: DefinitionRecord, { text }: ServerObject): Promise<boolean> {
  return objects.agrees(definition!, text);
}

/** Removes it with what it holds. One that the server does not take costs what is there, which is then made again, empty. */
async function recreated(objects: ServerObjects, object: string, definition: string, found: ServerObject) {
  await objects.remove(object);
  try {
    await objects.create(object, definition);
  } catch (error) {
    await objects.create(object, found.text);
    throw error;
  }
}

/** The server may have it as it was given, and yet find it wrong. */
function verdictOf({ error }: ServerObject, hash: string): Verdict {
  return error === undefined ? { state: 'in-step', applied: hash } : { state: 'refused', reason: 'Wrong', message: error, applied: hash };
}

function isRefusal(error: unknown, { refusal }: ServerObjects): boolean {
  return error instanceof Refused || error instanceof ServerError && (error.final || error.status === 500 && refusal.test(error.message));
}
