/**
 * Bundles the config-reconciler into one file, and that into a module of the library, which embeds it; or, for an image, into the
 * file that is named as the argument.
 */
import { mkdirSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { buildSync } from 'esbuild';

const ROOT = join(__dirname, '..');
const MODULE = join(ROOT, 'lib', 'cache-cluster', 'reconciler', 'program.ts');

/** A goal of the project: it is loaded by every synth, and stands in every manifest. */
const LONGEST_PROGRAM = 150 * 1024;
/** Client-side apply keeps a copy in an annotation, which ends at 256 KiB; the rest of the object needs room, too. */
const LONGEST_CONFIG_MAP = 240 * 1024;

/** The program as one minified file. */
export function bundleReconciler(): string {
  const { outputFiles: [{ text }] } = buildSync({
    entryPoints: [join(ROOT, 'reconciler', 'src', 'main.ts')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    target: 'node20',
    // Characters beyond ASCII would be longer in the manifest.
    charset: 'ascii',
    legalComments: 'none',
  });
  const sizes = [
    ['the program', Buffer.byteLength(text), LONGEST_PROGRAM],
    ['its ConfigMap as JSON', Buffer.byteLength(JSON.stringify(text)), LONGEST_CONFIG_MAP],
  ] as const;
  for (const [what, size, most] of sizes) {
    if (size > most) throw new Error(`${what} has ${size} bytes; at most ${most} are allowed`);
  }
  return text;
}

if (require.main === module) {
  const program = bundleReconciler();
  const [, , file] = process.argv;
  if (file) writeFileSync(file, program);
  else writeModule(program);
}

function writeModule(program: string) {
  const heading = '/* eslint-disable */\n// ~~ Generated from reconciler/ by `npx projen bundle:reconciler`.\n';
  mkdirSync(dirname(MODULE), { recursive: true });
  writeFileSync(MODULE, `${heading}export const RECONCILER_PROGRAM: string = ${JSON.stringify(program)};\n`);
  console.log(`${MODULE.slice(ROOT.length + 1)}: ${Buffer.byteLength(program)} bytes`);
}
