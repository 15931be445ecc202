import { CacheRecord } from './cache-record';

/** Who is who among the resources that name one cache. */
export interface Owners {
  /** The user's resource that counts: the oldest. */
  readonly user?: CacheRecord;
  /** Further ones of users, which do not. */
  readonly rivals: CacheRecord[];
  /** Those of users that are being removed. */
  readonly leaving: CacheRecord[];
  /** Those that the program made. */
  readonly mirrors: CacheRecord[];
}

/** Tells them apart. Two that were made in the same second are told by their ids, so that every look sees the same. */
export function ownersOf(records: readonly CacheRecord[]): Owners {
  const users = records.filter(({ madeBy }) => madeBy === undefined);
  const [user, ...rivals] = users.filter(({ deleting }) => !deleting).sort(byAge);
  return {
    user,
    rivals,
    leaving: users.filter(({ deleting }) => deleting),
    mirrors: records.filter(({ madeBy }) => madeBy !== undefined),
  };
}

function byAge(a: CacheRecord, b: CacheRecord): number {
  return compare(a.created, b.created) || compare(a.uid, b.uid);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
