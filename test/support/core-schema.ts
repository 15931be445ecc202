import { execFileSync } from 'child_process';
import { createHash, randomUUID } from 'crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'fs';
import { join } from 'path';

/** A strict JSON schema of Kubernetes' own types. */
export interface CoreSchema {
  readonly definitions: Record<string, object>;
  /** From `<apiVersion>/<kind>` to the name of a definition. */
  readonly kinds: Record<string, string>;
}

const ROOT = join(__dirname, '..', '..');
const PROGRAM = join(__dirname, 'print-core-schema.mjs');
const CLIENT_PACKAGE = join(ROOT, 'node_modules', '@kubernetes', 'client-node', 'package.json');
const CACHE = join(ROOT, 'node_modules', '.cache', 'cdk8s-platform-services');

/** Loads the schema, and makes it first unless this version of client-node and of the program has made it before. */
export function loadCoreSchema(): CoreSchema {
  const { version } = JSON.parse(readFileSync(CLIENT_PACKAGE, 'utf8'));
  const program = createHash('sha256').update(readFileSync(PROGRAM)).digest('hex').slice(0, 8);
  const file = join(CACHE, `core-schema-${version}-${program}.json`);
  if (!existsSync(file)) makeCoreSchema(file);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Several jest workers may do this at once: each writes a file of its own, and a rename shows no half-written one. */
function makeCoreSchema(file: string) {
  const schema = execFileSync(process.execPath, [PROGRAM], { maxBuffer: 2 ** 26 });
  mkdirSync(CACHE, { recursive: true });
  const own = `${file}.${randomUUID()}.tmp`;
  writeFileSync(own, schema);
  renameSync(own, file);
}
