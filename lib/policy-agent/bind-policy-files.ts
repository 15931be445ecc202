import { PolicyEngineConfigMap, PolicyEngineContext } from './engine';
import { checkFeature, KubernetesFeature } from './kubernetes-version';
import { PolicyFiles } from './policy-files';
import { configMapKey } from '../private/names';

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
      if (paths.length === 0) throw new Error(`policy files hold nothing but tests, given ${Object.keys(source.files).join(', ')}`);
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
  const data = new Map<string, string>();
  for (const path of paths) {
    const key = configMapKey(path);
    if (data.has(key)) throw new Error(`policy file ${path} would take the same ConfigMap key as another one: ${key}`);
    data.set(key, files[path]);
  }
  return Object.fromEntries(data);
}
