import { dataRoots, EVERYTHING, overlap, packageRoot, Root } from './roots';
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
  return policies.flatMap(({ _source: source }): Claim[] => {
    if (!source.files) {
      return [{ what: `the policy files of ${source.configMap ?? source.image}, whose roots are not known,`, root: EVERYTHING, known: false }];
    }
    return Object.entries(source.files).filter(([file]) => !isTest(file)).flatMap(([file, content]) => {
      const roots = file.endsWith('.rego') ? [packageRoot(file, content)] : dataRoots(file, content);
      return roots.map((root) => ({ what: `policy file ${file}`, root, known: true }));
    });
  });
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
