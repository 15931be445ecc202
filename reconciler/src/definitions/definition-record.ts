import { CACHE_CLUSTER_LABEL, CACHE_DEFINITION_LABEL, PREFIX, UPDATE_STRATEGY_ANNOTATION } from '../../../lib/private/labels';
import { hashOf } from '../caches/cache-record';
import { FINALIZER, PAUSED, UNMANAGED } from '../caches/marks';
import { KubernetesObject } from '../kubernetes/objects';
import { IndexedRecord, RecordIndex } from '../kubernetes/record-index';
import { keyOf } from '../work/keys';

/** What can be defined. */
export const DEFINITION_KINDS = ['counter', 'schema', 'task', 'template'] as const;
export type DefinitionKind = typeof DEFINITION_KINDS[number];
/** What the server was given: all that the program remembers. */
export const APPLIED = `${PREFIX}/applied`;

export interface ConfigMap extends KubernetesObject {
  readonly data?: Record<string, string>;
}

/** What is kept in memory of a ConfigMap that defines something. */
export interface DefinitionRecord extends IndexedRecord {
  /** The ConfigMap's. */
  readonly name: string;
  readonly created: string;
  readonly kind: string;
  /** Name on the server; none without. */
  readonly object?: string;
  readonly definition?: string;
  readonly hash: string;
  /** Hash of what the server was given last. */
  readonly applied?: string;
  readonly deleting: boolean;
  readonly paused: boolean;
  readonly unmanaged: boolean;
  readonly recreate: boolean;
  /** Carries our finalizer. */
  readonly finalizer: boolean;
}

export function definitionRecord({ metadata, data = {} }: ConfigMap): DefinitionRecord {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const [cluster, kind] = [labels[CACHE_CLUSTER_LABEL], labels[CACHE_DEFINITION_LABEL]];
  const object = data.name && kind === 'schema' && !data.name.endsWith('.proto') ? `${data.name}.proto` : data.name;
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    created: metadata.creationTimestamp,
    cluster,
    kind,
    object: object || undefined,
    definition: data.definition,
    hash: hashOf([cluster, kind, object, data.definition].join('\0')),
    applied: annotations[APPLIED],
    deleting: metadata.deletionTimestamp !== undefined,
    paused: annotations[PAUSED] === 'true',
    unmanaged: annotations[UNMANAGED] === 'true',
    recreate: annotations[UPDATE_STRATEGY_ANNOTATION] === 'recreate',
    finalizer: finalizers.includes(FINALIZER),
  };
}

/** One that says nothing that can be defined, or not its name, stands for nothing but itself. */
function definitionKey({ kind, object, uid }: DefinitionRecord): string {
  const known = (DEFINITION_KINDS as readonly string[]).includes(kind);
  return known && object !== undefined ? keyOf(kind, object) : keyOf(known ? kind : 'unknown', `\0${uid}`);
}

/** All ConfigMaps of the namespace that define something, by what they stand for. */
export class DefinitionIndex extends RecordIndex<ConfigMap, DefinitionRecord> {
  /** @param changed Is told whose key is to be looked at. */
  public constructor(changed: (cluster: string, key: string) => void) {
    super({ read: definitionRecord, keyOf: definitionKey, changed });
  }
}
