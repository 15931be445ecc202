import { createHash } from 'crypto';
import { dnsLabelOf } from '../private/names';

/** So long a name may be, to be a label's value, too. */
const LONGEST = 63;
/** Of 10,000 names, two of one slug are alike by a chance of one in five million. */
const HASH_DIGITS = 12;

/** Name of the resource of a cache or schema: a readable part and a hash of what it stands for. */
export function resourceName(clusterName: string, name: string): string {
  const hash = createHash('sha256').update(`${clusterName}\0${name}`).digest('hex').slice(0, HASH_DIGITS);
  const readable = [clusterName, dnsLabelOf(name)].filter((part) => part !== '').join('-').slice(0, LONGEST - HASH_DIGITS - 1).replace(/-+$/, '');
  return `${readable}-${hash}`;
}

/** Name of the Service of the administrative port; the operator calls it so, too. */
export function adminServiceName(clusterName: string): string {
  return `${clusterName}-admin`;
}

/** What neither XML nor YAML can hold. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;

/** Any name is legal on the server but those that cannot be written, and those that it keeps for itself. */
export function checkServerName(name: string, what: string): string {
  if (name === '') throw new Error(`name of a ${what} must not be empty`);
  if (/\p{Surrogate}/u.test(name)) throw new Error(`name of a ${what} must be well-formed Unicode, given ${JSON.stringify(name)}`);
  if (UNPRINTABLE.test(name)) throw new Error(`name of a ${what} must not hold control characters, which no format can hold, given ${JSON.stringify(name)}`);
  if (name.startsWith('___')) throw new Error(`name of a ${what} must not begin with ___, by which the server calls its own, given ${name}`);
  return name;
}
