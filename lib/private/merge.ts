/** Any JSON object. */
export type Json = Record<string, any>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value of a patch removes what it stands for. `null` does not reach us from other languages than TypeScript,
 * where jsii drops it; an object with `$patch: delete` does.
 */
function removes(value: unknown): boolean {
  return value === null || (isObject(value) && value.$patch === 'delete');
}

/**
 * Applies a JSON merge patch: objects are merged, everything else (lists included) is replaced, `null` (or
 * `{ $patch: 'delete' }`) removes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function mergePatch(target: unknown, patch: unknown): any {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (removes(value)) {
      delete result[key];
    } else if (value !== undefined) {
      result[key] = mergePatch(result[key], value);
    }
  }
  return result;
}

/**
 * The lists of a pod template whose items have an identity, and the field that holds it.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ ("patch strategy: merge on key")
 */
const MERGE_KEYS: Record<string, string> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};

/**
 * Merges a partial pod template into a whole one: like a merge patch, but items of lists such as containers, volumes
 * and variables are matched by their name. An item with `$patch: 'delete'` removes its match; other lists are replaced.
 */
export function mergePodTemplate(target: unknown, patch: unknown): any {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (removes(value)) {
      delete result[key];
    } else if (Array.isArray(value) && key in MERGE_KEYS) {
      result[key] = mergeNamedList(result[key] ?? [], value, MERGE_KEYS[key], key);
    } else if (value !== undefined) {
      result[key] = mergePodTemplate(result[key], value);
    }
  }
  return result;
}

function mergeNamedList(target: Json[], patch: Json[], mergeKey: string, list: string): Json[] {
  const result = [...target];
  for (const item of patch) {
    if (!isObject(item) || item[mergeKey] === undefined) {
      throw new Error(`every item of ${list} in pod overrides needs the field ${mergeKey}, given ${JSON.stringify(item)}`);
    }
    const index = result.findIndex((existing) => existing[mergeKey] === item[mergeKey]);
    if (item.$patch === 'delete') {
      if (index < 0) throw new Error(`pod overrides delete ${item[mergeKey]} from ${list}, which has ${names(result, mergeKey)}`);
      result.splice(index, 1);
    } else if (index < 0) {
      result.push(item);
    } else {
      result[index] = mergePodTemplate(result[index], item);
    }
  }
  return result;
}

function names(list: Json[], mergeKey: string): string {
  return list.map((item) => item[mergeKey]).join(', ') || 'no items';
}
