import { createHash } from 'crypto';
import { FINALIZER, LISTENER_DELETE, LISTENER_GENERATION, MARK, OMITTED, OPERATOR_FINALIZER, PAUSED, UNMANAGED } from './marks';
import { CacheResource, Condition } from '../kubernetes/objects';

/** What is to be told of a resource besides what it holds. */
export type CacheState = 'in-step' | 'drifted' | 'missing' | 'refused' | 'conflict' | 'paused' | 'unmanaged';

/** What is kept in memory of a `Cache` resource. Mirrors are many, so of theirs no text is kept. */
export interface CacheRecord {
  /** The resource's. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly created: string;
  readonly cluster: string;
  /** Name of the cache on the server. */
  readonly cache: string;
  /** Which program made it; undefined for a user's. */
  readonly madeBy?: string;
  readonly deleting: boolean;
  readonly paused: boolean;
  readonly unmanaged: boolean;
  /** Carries our finalizer. */
  readonly finalizer: boolean;
  /** Carries the operator's finalizer. */
  readonly operated: boolean;
  readonly listenerGeneration: number;
  readonly listenerDelete: boolean;
  /** Of the template. */
  readonly hash: string;
  /** Of users only. */
  readonly template?: string;
  readonly templateName?: string;
  readonly recreate?: boolean;
  readonly conditions?: Condition[];
}

/** Short, and equal for equal text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}

/** What a mirror holds instead of a template that is too long. */
export function omittedHash(length: string): string {
  return `omitted ${length}`;
}

/** Nothing makes a user write one; a resource without it is of no cluster. */
const NO_SPEC: CacheResource['spec'] = { clusterName: '' };

export function cacheRecord({ metadata, spec = NO_SPEC, status }: CacheResource): CacheRecord {
  const { annotations = {}, finalizers = [] } = metadata;
  const unmanaged = annotations[UNMANAGED] === 'true';
  const madeBy = unmanaged ? undefined : annotations[MARK];
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    created: metadata.creationTimestamp,
    cluster: spec.clusterName,
    cache: spec.name || metadata.name,
    madeBy,
    deleting: metadata.deletionTimestamp !== undefined,
    paused: annotations[PAUSED] === 'true',
    unmanaged,
    finalizer: finalizers.includes(FINALIZER),
    operated: finalizers.includes(OPERATOR_FINALIZER),
    listenerGeneration: Number(annotations[LISTENER_GENERATION] ?? 0),
    listenerDelete: annotations[LISTENER_DELETE] !== undefined,
    hash: annotations[OMITTED] === undefined ? hashOf(spec.template ?? '') : omittedHash(annotations[OMITTED]),
    ...(madeBy === undefined && {
      template: spec.template,
      templateName: spec.templateName || undefined,
      recreate: spec.updates?.strategy === 'recreate',
      conditions: status?.conditions,
    }),
  };
}
