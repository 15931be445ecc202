import type { Container, EnvVar, PodSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1';
import { sameJson, sorted, withKey } from './json-path';

/** What a client's pod is given. All in wire form. */
export interface PodBinding {
  /** In the order in which they refer to each other. */
  readonly variables: EnvVar[];
  readonly volumes: Volume[];
  /** Mounts of the containers that ask. */
  readonly volumeMounts: VolumeMount[];
  /** Containers that run before all others, or beside them. */
  readonly first: Container[];
  /** Init container that runs after all others. */
  readonly last?: Container;
  readonly imagePullSecrets: string[];
  /** Group that the pod needs. */
  readonly group?: number;
  /** Names of the containers that ask; undefined for all. */
  readonly containers?: string[];
}

type Warn = (message: string) => void;

/** Gives a pod what its client needs. What is there already is not given twice. */
export function bindPod(pod: PodSpec, binding: PodBinding, warn: Warn): PodSpec {
  checkContainers(pod, binding.containers);
  const asks = (container: Container, isInit: boolean) => binding.containers ? binding.containers.includes(container.name) : !isInit;
  const bind = (isInit: boolean) => (container: Container) => asks(container, isInit) ? bindContainer(container, binding, warn) : container;

  let result = pod;
  if (pod.containers) result = withKey(result, 'containers', pod.containers.map(bind(false)));
  const names = pod.containers?.map(({ name }) => name) ?? [];
  const clash = [...binding.first, ...(binding.last ? [binding.last] : [])].find(({ name }) => names.includes(name));
  if (clash) throw new Error(`container ${clash.name} exists already, and is another one`);
  const initContainers = addInit((pod.initContainers ?? []).map(bind(true)), binding);
  if (initContainers.length > 0) result = withKey(result, 'initContainers', initContainers);
  if (binding.volumes.length > 0) result = withKey(result, 'volumes', binding.volumes.reduce((list, volume) => addNamed(list, volume, 'volume'), pod.volumes ?? []));
  const secrets = binding.imagePullSecrets.filter((name) => !pod.imagePullSecrets?.some((secret) => secret.name === name));
  if (secrets.length > 0) result = withKey(result, 'imagePullSecrets', [...(pod.imagePullSecrets ?? []), ...secrets.map((name) => ({ name }))]);
  return binding.group === undefined ? result : addGroup(result, binding.group);
}

function addGroup(pod: PodSpec, group: number): PodSpec {
  const { securityContext = {} } = pod;
  const groups = securityContext.supplementalGroups ?? [];
  if (groups.includes(group)) return pod;
  return withKey(pod, 'securityContext', withKey(securityContext, 'supplementalGroups', [...groups, group]));
}

function checkContainers({ containers = [], initContainers = [] }: PodSpec, wanted: string[] = []) {
  const there = [...containers, ...initContainers].map(({ name }) => name);
  const missing = wanted.find((name) => !there.includes(name));
  if (missing) throw new Error(`there is no container ${missing}; there are ${there.join(', ') || 'none'}`);
}

function bindContainer(container: Container, { variables, volumeMounts }: PodBinding, warn: Warn): Container {
  let result = container;
  if (variables.length > 0) result = withKey(result, 'env', addVariables(container, variables, warn));
  if (volumeMounts.length > 0) result = withKey(result, 'volumeMounts', volumeMounts.reduce((list, mount) => addMount(list, mount, container.name, warn), container.volumeMounts ?? []));
  return result;
}

/**
 * In front, so that the user's own variables can refer to them. But a variable that the user has set is kept, and what refers
 * to it must come after it.
 */
function addVariables({ name: container, env = [] }: Container, variables: EnvVar[], warn: Warn): EnvVar[] {
  const added = variables.filter((variable) => {
    const own = env.find(({ name }) => name === variable.name);
    if (own && !sameJson(own, variable)) warn(`container ${container} sets variable ${variable.name} itself, which is kept`);
    return !own;
  });
  const kept = variables.filter((variable) => !added.includes(variable)).map(({ name }) => name);
  const after = Math.max(-1, ...kept.map((name) => env.findIndex((variable) => variable.name === name))) + 1;
  return [...env.slice(0, after), ...added, ...env.slice(after)];
}

function addMount(mounts: VolumeMount[], mount: VolumeMount, container: string, warn: Warn): VolumeMount[] {
  const own = mounts.find(({ mountPath }) => mountPath === mount.mountPath);
  if (!own) return [...mounts, sorted(mount)];
  if (!sameJson(own, mount)) warn(`container ${container} mounts ${mount.mountPath} itself, which is kept`);
  return mounts;
}

function addInit(own: Container[], { first, last }: PodBinding): Container[] {
  const missing = first.filter((container) => addNamed(own, container, 'init container') !== own);
  const all = [...missing.map(sorted), ...own];
  return last ? addNamed(all, last, 'init container') : all;
}

function addNamed<T extends { readonly name: string }>(list: T[], item: T, what: string): T[] {
  const own = list.find(({ name }) => name === item.name);
  if (!own) return [...list, sorted(item)];
  if (!sameJson(own, item)) throw new Error(`${what} ${item.name} exists already, and is another one`);
  return list;
}
