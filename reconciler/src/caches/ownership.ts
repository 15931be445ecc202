/** What tells the owner. */
export interface Owned {
  readonly uid: string;
  readonly created: string;
  readonly deleting: boolean;
  /** Which program made it; undefined for a user's. */
  readonly madeBy?: string;
}

/** Who is who among the resources that name one thing of the server. */
export interface Owners<R> {
  /** The user's resource that counts: the oldest. */
  readonly user?: R;
  /** Further ones of users, which do not. */
  readonly rivals: R[];
  /** Those of users that are being removed. */
  readonly leaving: R[];
  /** Those that the program made. */
  readonly mirrors: R[];
}

/** Tells them apart. Two that were made in the same second are told by their ids, so that every look sees the same. */
export function ownersOf<R extends Owned>(records: readonly R[]): Owners<R> {
  const users = records.filter(({ madeBy }) => madeBy === undefined);
  const [user, ...rivals] = users.filter(({ deleting }) => !deleting).sort(byAge);
  return {
    user,
    rivals,
    leaving: users.filter(({ deleting }) => deleting),
    mirrors: records.filter(({ madeBy }) => madeBy !== undefined),
  };
}

function byAge(a: Owned, b: Owned): number {
  return compare(a.created, b.created) || compare(a.uid, b.uid);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
