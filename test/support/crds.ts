import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';

/** What is needed of a CustomResourceDefinition. */
export interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: { readonly name: string; readonly served: boolean; readonly schema?: { readonly openAPIV3Schema: any } }[];
  };
}

/**
 * Folder of upstream CustomResourceDefinitions; environment variable `CRDS_DIR`.
 *
 * @default - `../shared/crds` beside the repository: the files are other people's, some under copyleft licences, so none
 * is in it
 */
export function crdsDir(): string {
  return process.env.CRDS_DIR ?? join(__dirname, '..', '..', '..', 'shared', 'crds');
}

/** Definitions written here, of what no upstream release has yet. */
export const OWN_CRDS_DIR = join(__dirname, 'crds');

/** Whether custom resources can be checked here. */
export function crdsAvailable(): boolean {
  return existsSync(crdsDir());
}

/** The CustomResourceDefinition of a kind, if a file of the folders holds one. */
export function findCrd(group: string, kind: string): CustomResourceDefinition | undefined {
  const folders = [crdsDir(), OWN_CRDS_DIR].filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    for (const text of readFileSync(file, 'utf8').split(/^---.*$/m)) {
      // Parsing all of them would take seconds, searching them takes milliseconds.
      if (!hasLine(text, 'group', group) || !hasLine(text, 'kind', kind)) continue;
      const crd: CustomResourceDefinition = parse(text);
      if (crd.spec.group === group && crd.spec.names.kind === kind) return crd;
    }
  }
  return undefined;
}

/** The `openAPIV3Schema` of a served version of a custom resource, if the folder holds it. */
export function findCrdSchema(group: string, version: string, kind: string): any {
  return findCrd(group, kind)?.spec.versions.find(({ name, served }) => name === version && served)?.schema?.openAPIV3Schema;
}

function hasLine(text: string, key: string, value: string): boolean {
  return ['', '"', "'"].some((quote) => text.includes(` ${key}: ${quote}${value}${quote}\n`));
}
