/**
 * What a role may do.
 *
 * @see https://infinispan.org/docs/stable/titles/security/security.html
 */
export enum CachePermission {
  /** Everything. */
  ALL = 'ALL',

  /** All kinds of reading. */
  ALL_READ = 'ALL_READ',

  /** All kinds of writing. */
  ALL_WRITE = 'ALL_WRITE',

  /** Read entries. */
  READ = 'READ',

  /** Write entries. */
  WRITE = 'WRITE',

  /** Run tasks and scripts. */
  EXEC = 'EXEC',

  /** Be told of changes. */
  LISTEN = 'LISTEN',

  /** Read many entries at once. */
  BULK_READ = 'BULK_READ',

  /** Write many entries at once. */
  BULK_WRITE = 'BULK_WRITE',

  /** Start and stop caches. */
  LIFECYCLE = 'LIFECYCLE',

  /** Make and remove caches, counters, schemas and the like. */
  CREATE = 'CREATE',

  /** Read metrics and health. */
  MONITOR = 'MONITOR',

  /** Administer. */
  ADMIN = 'ADMIN',

  /** Nothing. */
  NONE = 'NONE',
}

/** A role that users may have. */
export interface CacheRole {
  /** Name of the role. */
  readonly name: string;

  /** What it may do. */
  readonly permissions: CachePermission[];
}
