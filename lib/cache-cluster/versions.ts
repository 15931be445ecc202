/** What not every version of the server or operator has. */
export enum CacheFeature {
  /** Endpoints of their own for probes of life and readiness. */
  HEALTH_PROBES = 'probes by /health/live and /health/ready',

  /** Upgrades within one minor version, server by server. */
  IN_PLACE_ROLLING = 'upgrades in place',

  /** The `Schema` resource. */
  SCHEMA_RESOURCE = 'the Schema resource',

  /** Events of counters, each by the server that has made or removed it. */
  COUNTER_EVENTS = 'events of counters',
}

interface Needed {
  readonly of: 'Infinispan' | 'operator';
  readonly version: string;
}

/** The first version that has it. */
const NEEDS: Record<CacheFeature, Needed> = {
  [CacheFeature.HEALTH_PROBES]: { of: 'Infinispan', version: '16.0.0' },
  [CacheFeature.IN_PLACE_ROLLING]: { of: 'Infinispan', version: '16.0.0' },
  [CacheFeature.SCHEMA_RESOURCE]: { of: 'operator', version: '2.5.17' },
  [CacheFeature.COUNTER_EVENTS]: { of: 'Infinispan', version: '16.2.0' },
};

/** The oldest server whose configuration this library writes. */
const OLDEST = '15.0.0';

/** The server of the StatefulSet unless another one is named: that of the tests. */
export const DEFAULT_VERSION = '15.2.6';

/** Whether a version has a feature. */
export function hasFeature(feature: CacheFeature, version: string): boolean {
  return compareVersions(version, NEEDS[feature].version) >= 0;
}

/** Refuses what a version does not have; one that is not stated is the newest. */
export function checkCacheFeature(feature: CacheFeature, version: string | undefined, what: string) {
  if (version === undefined || hasFeature(feature, version)) return;
  const { of, version: needed } = NEEDS[feature];
  throw new Error(`${what} needs ${feature}, which ${of === 'operator' ? 'the operator' : of} has from ${needed}; given ${version}`);
}

/** A version of the server. */
export function checkVersion(version: string, what = 'version'): string {
  checkSemver(version, what);
  if (compareVersions(version, OLDEST) < 0) throw new Error(`${what} must be ${OLDEST} or newer, given ${version}`);
  return version;
}

export function checkSemver(version: string, what: string): string {
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version)) {
    throw new Error(`${what} must have three numbers such as ${DEFAULT_VERSION}, given ${JSON.stringify(version)}`);
  }
  return version;
}

/** Below 0, 0 or above 0, as the first version is older, the same or newer. */
export function compareVersions(first: string, second: string): number {
  const [a, b] = [first, second].map((version) => version.split('.').map(Number));
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Whether two versions differ in their last number only. */
export function sameMinor(first: string, second: string): boolean {
  return first.split('.').slice(0, 2).join('.') === second.split('.').slice(0, 2).join('.');
}

/** Tag of the image; up to 15 they have a suffix. */
export function imageTag(version: string): string {
  return compareVersions(version, '16.0.0') < 0 ? `${version}.Final` : version;
}
