/**
 * A path in OPA's data tree, as in the manifest of a bundle: segments joined by slashes, empty for everything.
 *
 * @see https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
 */
export type Root = string;

export const EVERYTHING: Root = '';

/** Checks the spelling of a root and drops slashes around it. */
export function checkRoot(root: string, where: string): Root {
  const trimmed = root.replace(/^\/+|\/+$/g, '');
  if (trimmed.includes('//') || /[\s.]/.test(trimmed)) {
    throw new Error(`roots of ${where} must be paths such as 'authz' or 'org/authz' ('' for everything), given ${JSON.stringify(root)}`);
  }
  return trimmed;
}

/** Whether one of two roots holds the other. */
export function overlap(a: Root, b: Root): boolean {
  return a === b || a === EVERYTHING || b === EVERYTHING || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** The root that the package of a Rego module stands at. */
export function packageRoot(file: string, rego: string): Root {
  const statement = /^\s*package\s+([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*|\s*\[\s*"[^"]*"\s*\])*)/.exec(rego.replace(/#.*$/gm, ''));
  if (!statement) throw new Error(`policy file ${file} must begin with a package, as every Rego module does`);
  return [...statement[1].matchAll(/[A-Za-z_]\w*|"[^"]*"/g)].map(([segment]) => segment.replace(/^"|"$/g, '')).join('/');
}

/** The roots of a data document: its directory or, in the uppermost one, its keys. Undefined for YAML there, which is not read. */
export function dataRoots(file: string, content: string): Root[] | undefined {
  if (file.includes('/')) return [file.slice(0, file.lastIndexOf('/'))];
  if (!file.endsWith('.json')) return undefined;
  try {
    return Object.keys(JSON.parse(content));
  } catch (error) {
    throw new Error(`data file ${file} is no JSON: ${(error as Error).message}`);
  }
}
