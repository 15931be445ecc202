/** How the servers get to a new version. */
export enum CacheUpgradeStrategy {
  /** All stop, then all start: clients have no answer meanwhile. The operator's default. */
  SHUTDOWN = 'Shutdown',

  /** One after the other. With the operator within one minor version from 16.0; the StatefulSet does nothing else. */
  IN_PLACE_ROLLING = 'InPlaceRolling',

  /** By a second cluster, to which data are moved. Only with the operator, and not with sites. */
  HOT_ROD_ROLLING = 'HotRodRolling',
}
