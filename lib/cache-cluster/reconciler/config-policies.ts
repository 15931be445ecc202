// What the configuration may say: the construct writes it, and the program reads it.

/** Who may write what. */
export enum ConfigDirection {
  /** Resources show what the servers have, and nothing is written to the servers but definitions that no operator knows. */
  SERVER_TO_RESOURCES = 'server-to-resources',

  /** Beyond that, the servers get what resources of users say. Only without an operator, which does that itself. */
  BOTH = 'both',
}

/** What becomes of a cache, counter, template, schema or task when the resource or ConfigMap that a user has made for it is removed. */
export enum ConfigRemoval {
  /** It stays on the servers. */
  KEEP = 'keep-cache',

  /** It is removed from the servers, with what it holds. */
  REMOVE = 'remove-cache',
}

/** What a `ConfigReconciler` logs. */
export enum ConfigReconcilerLogLevel {
  /** Everything. */
  DEBUG = 'debug',

  /** What it does. */
  INFO = 'info',

  /** What may be wrong. */
  WARN = 'warn',

  /** What is wrong. */
  ERROR = 'error',
}

/** What becomes of `Cache` resources that a `ConfigReconciler` has made when it does not serve their cluster any more. */
export enum ConfigOrphans {
  /** They stay. */
  KEEP = 'keep',

  /** They are removed; the caches stay. */
  REMOVE = 'remove',
}
