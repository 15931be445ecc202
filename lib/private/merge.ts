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

/** Merges objects key by key; what becomes of a list is up to the caller. */
function merge(target: unknown, patch: unknown, mergeList: (key: string, target: unknown, patch: unknown) => unknown): any {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') throw new Error('a patch must not contain the key __proto__');
    if (removes(value)) {
      delete result[key];
    } else if (Array.isArray(value) || Array.isArray(result[key])) {
      result[key] = mergeList(key, result[key], value);
    } else if (value !== undefined) {
      result[key] = merge(result[key], value, mergeList);
    }
  }
  return result;
}

/**
 * Applies a JSON merge patch: objects are merged, everything else (lists included) is replaced, `null` (or
 * `{ $patch: 'delete' }`) removes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function mergePatch(target: unknown, patch: unknown): any {
  return merge(target, patch, (key, _, list) => {
    const marked = Array.isArray(list) && list.find((item) => isObject(item) && '$patch' in item);
    if (marked) throw new Error(`list ${key} is replaced as a whole, so $patch has no meaning in it, given ${JSON.stringify(marked)}`);
    return list;
  });
}

/**
 * The lists of a pod template whose items have an identity, and the field that holds it.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ ("patch strategy: merge on key")
 */
const MERGE_KEYS = new Map(Object.entries({
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
}));

/**
 * Merges a partial pod template into a whole one: like a merge patch, but items of lists such as containers, volumes
 * and variables are matched by their name. An item with `$patch: 'delete'` removes its match; other lists are replaced.
 */
export function mergePodTemplate(target: unknown, patch: unknown): any {
  return merge(target, patch, (key, list, items) => {
    if (!Array.isArray(items)) throw new Error(`${key} is a list, and pod overrides must give a list for it, given ${JSON.stringify(items)}`);
    const mergeKey = MERGE_KEYS.get(key);
    return mergeKey ? mergeNamedList((list ?? []) as Json[], items, mergeKey, key) : items;
  });
}

function mergeNamedList(target: Json[], patch: Json[], mergeKey: string, list: string): Json[] {
  const result = [...target];
  for (const item of patch) {
    if (!isObject(item) || item[mergeKey] === undefined) {
      throw new Error(`every item of ${list} in pod overrides needs the field ${mergeKey}, given ${JSON.stringify(item)}`);
    }
    const index = result.findIndex((existing) => identity(existing, mergeKey) === identity(item, mergeKey));
    if (item.$patch === 'delete') {
      if (index < 0) {
        const there = result.map((existing) => existing[mergeKey]).join(', ') || 'no items';
        throw new Error(`pod overrides delete ${item[mergeKey]} from ${list}, which has ${there}`);
      }
      result.splice(index, 1);
    } else if (index < 0) {
      result.push(mergePodTemplate({}, item));
    } else {
      result[index] = mergePodTemplate(result[index], item);
    }
  }
  return result;
}

/** Ports of one number may differ in their protocol. */
function identity(item: Json, mergeKey: string): unknown {
  return mergeKey === 'containerPort' ? `${item.containerPort}/${item.protocol ?? 'TCP'}` : item[mergeKey];
}
