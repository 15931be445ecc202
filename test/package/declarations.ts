import { existsSync, readFileSync } from 'fs';
import { dirname, join } from 'path';
import ts from 'typescript';

/** Modules from outside the package that its declarations name, from this one on, and in which of them. */
export function foreignModules(entry: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const seen = new Set([entry]);
  for (const file of seen) {
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(file, 'utf8'));
    for (const { fileName } of [...importedFiles, ...typeReferenceDirectives]) {
      if (fileName.startsWith('.')) {
        const target = join(dirname(file), fileName);
        seen.add(existsSync(`${target}.d.ts`) ? `${target}.d.ts` : join(target, 'index.d.ts'));
      } else {
        (found[fileName] ??= []).push(file);
      }
    }
  }
  return found;
}
