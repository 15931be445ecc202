import { checkRoot, dataRoots, EVERYTHING, overlap, packageRoot, Root } from './roots';
import { PolicyFileSource } from '../policy-file-source';
import { PolicyFiles } from '../policy-files';

/** A part of OPA's data tree, and what stands there. */
export interface Claim {
  readonly what: string;
  readonly root: Root;
  /** Whether the root was read or stated, rather than assumed for want of knowledge. */
  readonly known: boolean;
}

/** OPA's own test files. */
export function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}

/** What policy files stand at. */
export function fileClaims(policies: PolicyFiles[]): Claim[] {
  return policies.flatMap(({ _source: source }) => source.files ? inlineClaims(source.files) : statedClaims(source));
}

function inlineClaims(files: Record<string, string>): Claim[] {
  return Object.entries(files).filter(([file]) => !isTest(file)).flatMap(([file, content]): Claim[] => {
    const what = `policy file ${file}`;
    if (file.endsWith('.rego')) return [{ what, root: packageRoot(file, content), known: true }];
    // OPA looks at no other files.
    if (!/\.(json|ya?ml)$/.test(file)) return [];
    return dataRoots(file, content)?.map((root) => ({ what, root, known: true })) ??
      [{ what: `${what}, whose roots are not known (put it into a folder, or write it as JSON),`, root: EVERYTHING, known: false }];
  });
}

function statedClaims({ configMap, image, roots }: PolicyFileSource): Claim[] {
  const what = `the policy files of ${configMap ?? image}`;
  return roots?.map((root) => ({ what, root: checkRoot(root, what), known: true })) ??
    [{ what: `${what}, whose roots are not stated,`, root: EVERYTHING, known: false }];
}

/** Downloads must stand apart from each other and from files: what a bundle owns, it erases when it is activated. */
export function refuseOverlaps(downloads: Claim[], files: Claim[]) {
  for (const a of [...downloads, ...files]) {
    for (const b of downloads) {
      if (a.what !== b.what && overlap(a.root, b.root)) {
        throw new Error(
          `${a.what} ('${a.root}') and ${b.what} ('${b.root}') own the same part of OPA's data tree: their roots must be stated and disjoint`,
        );
      }
    }
  }
}

/** A decision that stands nowhere is undefined for ever. */
export function refuseMissingDecisions(decisions: string[], claims: Claim[]) {
  const missing = decisions.find((decision) => !claims.some(({ root }) => overlap(root, decision)));
  if (missing) {
    const roots = claims.map(({ root }) => `'${root}'`).join(', ');
    throw new Error(`decision ${missing} stands in no bundle and no policy file, which hold ${roots}: it would always be undefined`);
  }
}
