import { existsSync } from 'fs';
import { join } from 'path';

const BIN = join(__dirname, '..', '..', '.tools', 'bin');

/** OPA, built by `npm run tools`. */
export const OPA = join(BIN, 'opa');

/** Helm, brought by `npm run tools`. */
export const HELM = join(BIN, 'helm');

/** Cerbos, from npm. */
export const CERBOS: string = require.resolve('@cerbos/cerbos-linux-x64');

/** Fails when a program is missing: a test that needs it must not pass without it. */
export function requireProgram(path: string) {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`npm run tools\` first`);
}
