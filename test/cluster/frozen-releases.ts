import { readdirSync, readFileSync } from 'fs';
import { basename, join } from 'path';

/** A folder for each release of the library, with what it made of the representative agents. */
export const RELEASES = join(__dirname, 'releases');

export interface FrozenAgent {
  readonly release: string;
  readonly agent: string;
  readonly yaml: string;
}

/** Everything that `npm run release:freeze` has ever written. */
export function frozenAgents(): FrozenAgent[] {
  return readdirSync(RELEASES).flatMap((release) => readdirSync(join(RELEASES, release)).map((file) => (
    { release, agent: basename(file, '.yaml'), yaml: readFileSync(join(RELEASES, release, file), 'utf8') }
  )));
}
