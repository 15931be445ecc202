import { existsSync, readdirSync, readFileSync, statSync } from 'fs';
import { join, resolve } from 'path';
import { PolicyFileSource } from './policy-file-source';

/** Options of `PolicyFiles.fromConfigMap`. */
export interface PolicyConfigMapOptions {
  /**
   * Any string that changes with the contents, so that a change rolls the pods: no engine sees a changed ConfigMap by
   * itself.
   *
   * @default - a change does not reach running agents, which is warned of
   */
  readonly checksum?: string;

  /**
   * For OPA: the packages and data of the files, as paths such as `authz`. Needed beside bundles, which must own none of
   * them.
   *
   * @default - not known
   */
  readonly roots?: string[];
}

/** Options of `PolicyFiles.fromImage`. */
export interface PolicyImageOptions {
  /**
   * For OPA: the packages and data of the files, as paths such as `authz`. Needed beside bundles, which must own none of
   * them.
   *
   * @default - not known
   */
  readonly roots?: string[];
}

/** Policies (and data or schemas beside them) for the agent to load from its file system. */
export class PolicyFiles {
  /** Written into a ConfigMap. Keys are relative paths. A change rolls the pods. */
  public static inline(files: Record<string, string>): PolicyFiles {
    if (Object.keys(files).length === 0) throw new Error('inline policy files need at least one file, given none');
    for (const path of Object.keys(files)) {
      if (!/^[-_a-zA-Z0-9][-._a-zA-Z0-9]*(\/[-_a-zA-Z0-9][-._a-zA-Z0-9]*)*$/.test(path)) {
        throw new Error(
          `path of a policy file must be relative and not hidden, of letters, digits, '-', '_', '.' and '/', given ${JSON.stringify(path)}`,
        );
      }
    }
    return new PolicyFiles({ files: { ...files } });
  }

  /**
   * Read at synth from a directory, relative to the working directory, and written into a ConfigMap. Hidden files and
   * folders are left out, and so are the engine's own test files.
   */
  public static fromDirectory(directory: string): PolicyFiles {
    if (!existsSync(directory)) throw new Error(`directory with policy files ${resolve(directory)} does not exist`);
    const files: Record<string, string> = {};
    const walk = (relative: string) => {
      for (const entry of readdirSync(join(directory, relative)).sort()) {
        if (entry.startsWith('.')) continue;
        const path = relative ? `${relative}/${entry}` : entry;
        if (statSync(join(directory, path)).isDirectory()) {
          walk(path);
        } else {
          files[path] = readFileSync(join(directory, path), 'utf8');
        }
      }
    };
    walk('');
    return PolicyFiles.inline(files);
  }

  /** From a ConfigMap that exists in the agent's namespace. Each key is a file. */
  public static fromConfigMap(name: string, options: PolicyConfigMapOptions = {}): PolicyFiles {
    if (!name) throw new Error('name of the ConfigMap with policy files must not be empty');
    return new PolicyFiles({ configMap: name, checksum: options.checksum, roots: options.roots });
  }

  /**
   * From an OCI image or artifact, mounted read-only. Has no limit on size. Needs Kubernetes 1.35 and a container
   * runtime that mounts images.
   *
   * @see https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/
   */
  public static fromImage(reference: string, options: PolicyImageOptions = {}): PolicyFiles {
    if (!reference) throw new Error('reference of the image with policy files must not be empty');
    return new PolicyFiles({ image: reference, roots: options.roots });
  }

  private constructor(
    /** @internal */
    public readonly _source: PolicyFileSource,
  ) {}
}
