import { resourceName } from '../../lib/cache-cluster/names';

/**
 * Name of the resource that mirrors a cache. Never that of a resource that the library makes for the same cache, so that a user who
 * adds the cache to his chart does not write into the mirror; no name of a cache holds the control character.
 */
export function mirrorName(cluster: string, cache: string): string {
  return resourceName(cluster, `mirror\0${cache}`);
}
