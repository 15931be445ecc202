/** What a user may know better than the checks at synth: names a refusal that is to be passed over. */
export enum CacheAcknowledgement {
  /**
   * Caches in the configuration of servers with persistent storage, without the last release's manifest to compare them with: a
   * changed definition makes servers disagree while it is rolled out, or stops one that remembers the old one; a removed cache
   * takes its entries along.
   */
  STATIC_CACHES_ON_PERSISTENT_STORAGE = 'STATIC_CACHES_ON_PERSISTENT_STORAGE',

  /**
   * Storage smaller than the memory limit: a graceful stop may find no room for the entries.
   */
  STORAGE_BELOW_MEMORY = 'STORAGE_BELOW_MEMORY',

  /**
   * Charts of the app go to different Kubernetes clusters, so equal names are no conflict.
   */
  SEVERAL_CLUSTERS = 'SEVERAL_CLUSTERS',
}
