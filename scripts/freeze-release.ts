/** `npm run release:freeze [VERSION]`: keeps what this release makes of the representative agents, for the tests of all later ones. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { RELEASES } from '../test/cluster/frozen-releases';
import { REPRESENTATIVE_AGENTS, synthesiseRepresentative } from '../test/cluster/representative-agents';

function main() {
  const version = process.argv[2] ?? JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')).version;
  const folder = join(RELEASES, version);
  if (existsSync(folder)) {
    throw new Error(`release ${version} is frozen already: what was published never changes; if ${version} was not published yet, delete ${folder} first`);
  }
  mkdirSync(folder, { recursive: true });
  const names = Object.keys(REPRESENTATIVE_AGENTS);
  for (const name of names) writeFileSync(join(folder, `${name}.yaml`), synthesiseRepresentative(name));
  console.log(`froze ${names.length} agents of release ${version} in ${folder}`);
}

try {
  main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
