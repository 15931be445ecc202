import { resourceName } from '../../lib/cache-cluster/names';

/** A user's resource may have the first name of a mirror; so may those of two users the first and the second. */
const NAMES = 3;

/**
 * Name of the resource that mirrors a cache. Never that of a resource that the library makes for the same cache, so that a user who
 * adds the cache to his chart does not write into the mirror; no name of a cache holds the control character.
 */
export function mirrorName(cluster: string, cache: string, attempt = 0): string {
  return resourceName(cluster, `mirror${'\0'.repeat(attempt + 1)}${cache}`);
}

/** All names that a mirror may have, the one to try first at first. */
export function mirrorNames(cluster: string, cache: string): string[] {
  return Array.from({ length: NAMES }, (_, attempt) => mirrorName(cluster, cache, attempt));
}
