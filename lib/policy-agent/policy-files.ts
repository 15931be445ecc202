import { readdirSync, readFileSync, statSync } from 'fs';
import { join } from 'path';
import { PolicyEngineConfigMap, PolicyEngineContext } from './engine';
import { checkFeature, KubernetesFeature } from './kubernetes-version';
import { configMapKey } from '../private/names';

/** Options of `PolicyFiles.fromConfigMap`. */
export interface PolicyConfigMapOptions {
  /**
   * Any string that changes with the contents, so that a change rolls the pods: no engine sees a changed ConfigMap by
   * itself.
   *
   * @default - a change does not reach running agents, which is warned of
   */
  readonly checksum?: string;
}

/** Policies (and data or schemas beside them) for the agent to load from its file system. */
export class PolicyFiles {
  /** Written into a ConfigMap. Keys are relative paths. A change rolls the pods. */
  public static inline(files: Record<string, string>): PolicyFiles {
    if (Object.keys(files).length === 0) throw new Error('inline policy files need at least one file, given none');
    for (const path of Object.keys(files)) {
      if (!/^[-._a-zA-Z0-9]+(\/[-._a-zA-Z0-9]+)*$/.test(path) || path.split('/').some((part) => part.startsWith('..'))) {
        throw new Error(`path of a policy file must be relative, of letters, digits, '-', '_', '.' and '/', given ${JSON.stringify(path)}`);
      }
    }
    return new PolicyFiles({ files: { ...files } });
  }

  /**
   * Read at synth from a directory, relative to the working directory, and written into a ConfigMap. Hidden files and
   * folders are left out, and so are the engine's own test files.
   */
  public static fromDirectory(directory: string): PolicyFiles {
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
    return new PolicyFiles({ configMap: name, checksum: options.checksum });
  }

  /**
   * From an OCI image or artifact, mounted read-only. Has no limit on size. Needs Kubernetes 1.35 and a container
   * runtime that mounts images.
   *
   * @see https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/
   */
  public static fromImage(reference: string): PolicyFiles {
    if (!reference) throw new Error('reference of the image with policy files must not be empty');
    return new PolicyFiles({ image: reference });
  }

  private constructor(
    /** @internal */
    public readonly _source: PolicyFileSource,
  ) {}
}

export interface PolicyFileSource {
  readonly files?: Record<string, string>;
  readonly configMap?: string;
  readonly checksum?: string;
  readonly image?: string;
}

/** What policy files come to in a pod. */
export interface BoundPolicyFiles {
  /** Where the files are, in the container. */
  readonly directories: string[];
  readonly volumes: any[];
  readonly volumeMounts: any[];
  readonly configMaps: PolicyEngineConfigMap[];
  readonly checksums: string[];
  readonly warnings: string[];
}

const DIRECTORY = '/policies';

/** Mounts policy files: all those from ConfigMaps in one directory, each image in one of its own. */
export function bindPolicyFiles(sources: PolicyFiles[], isTest: (path: string) => boolean, context: PolicyEngineContext): BoundPolicyFiles {
  const bound = { directories: [], volumes: [], volumeMounts: [], configMaps: [], checksums: [], warnings: [] } as Mutable<BoundPolicyFiles>;
  const projected: any[] = [];
  const seen = new Set<string>();
  const mount = (name: string, directory: string, source: object) => {
    bound.directories.push(directory);
    bound.volumes.push({ name, ...source });
    bound.volumeMounts.push({ name, mountPath: directory, readOnly: true });
  };

  for (const { _source: source } of sources) {
    if (source.files) {
      const paths = Object.keys(source.files).filter((path) => !isTest(path));
      for (const path of paths) {
        if (seen.has(path)) throw new Error(`policy file ${path} is given twice`);
        seen.add(path);
      }
      const suffix = bound.configMaps.length === 0 ? 'policies' : `policies-${bound.configMaps.length + 1}`;
      bound.configMaps.push({ suffix, data: dataOf(paths, source.files) });
      projected.push({
        configMap: { name: `${context.instanceName}-${suffix}`, items: paths.map((path) => ({ key: configMapKey(path), path })) },
      });
    } else if (source.configMap) {
      projected.push({ configMap: { name: source.configMap } });
      if (source.checksum !== undefined) {
        bound.checksums.push(`${source.configMap}=${source.checksum}`);
      } else {
        bound.warnings.push(`a change of ConfigMap ${source.configMap} does not reach running agents: give its checksum to PolicyFiles.fromConfigMap`);
      }
    } else {
      checkFeature(KubernetesFeature.IMAGE_VOLUME, context.kubernetesVersion, `PolicyFiles.fromImage(${JSON.stringify(source.image)})`);
      const index = bound.directories.length;
      mount(`policy-image-${index}`, `/policy-images/${index}`, { image: { reference: source.image, pullPolicy: 'IfNotPresent' } });
    }
  }
  if (projected.length > 0) mount('policies', DIRECTORY, { projected: { sources: projected } });
  return bound;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function dataOf(paths: string[], files: Record<string, string>): Record<string, string> {
  const data: Record<string, string> = {};
  for (const path of paths) {
    const key = configMapKey(path);
    if (key in data) throw new Error(`policy file ${path} would take the same ConfigMap key as another one: ${key}`);
    data[key] = files[path];
  }
  return data;
}
