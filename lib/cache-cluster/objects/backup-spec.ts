import { operatorResources } from './resources';
import { Json } from '../../private/merge';
import { CacheBackupOptions } from '../cache-backup';

/** What backups and restores have in common, in wire form. */
export function backupSpec({ contents, resources = {} }: CacheBackupOptions): Json {
  const lists = contents && {
    caches: contents.caches, templates: contents.templates, counters: contents.counters, protoSchemas: contents.schemas, tasks: contents.tasks,
  };
  const given = Object.entries(lists ?? {}).filter(([, names]) => names !== undefined).map(([kind, names]) => [kind, [...names!]]);
  if (contents && given.length === 0) throw new Error('contents must name something, given none: leave it out to mean everything');
  return {
    ...(given.length > 0 && { resources: Object.fromEntries(given) }),
    // The operator's webhook fills it in, and then compares what is immutable.
    container: operatorResources({ ...resources, memoryLimit: resources.memoryLimit ?? '1Gi' }, 'the pod'),
  };
}
