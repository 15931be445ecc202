import type { Container, EnvVar, PodSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1';
import { PodBinding } from './bind-pod';
import { CaBundle } from './ca-bundle';
import { waitConfigMap } from './client-objects';
import { ClientOffer, Endpoint } from './client-offer';
import { sorted } from './json-path';
import { ClientAddress, PolicyClientOptions } from './policy-client-options';
import { fillIn } from './words';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';

/** The pod that is to be bound. */
export interface BoundPod {
  readonly pod: PodSpec;
  readonly namespace?: string;
}

/** What a pod is given to reach its agent by an endpoint. */
export function podBinding(agent: IPolicyAgent, offer: ClientOffer, endpoint: Endpoint, options: PolicyClientOptions, client: BoundPod): PodBinding {
  const ca = certificates(agent, offer, endpoint, options, client);
  const mounts = [...socketOf(agent, endpoint), ...ca];
  const volumes = mounts.map(({ volume }) => volume);
  const volumeMounts = mounts.map(({ mount }) => mount);
  const names = options.variables ?? {};
  const words = { ...endpoint.words, ...hostOf(endpoint, names), ca: ca.length > 0 ? `${ca[0].mount.mountPath}/ca.crt` : undefined, serverName: offer.tls?.serverName };
  const variables = variablesOf(agent, offer, endpoint, words);
  const unknown = Object.keys(names).find((name) => !variables.some((variable) => variable.name === name));
  if (unknown) throw new Error(`variables: there is no variable ${unknown} to call otherwise; there are ${variables.map(({ name }) => name).join(', ')}`);
  const renamed = variables.map((variable) => sorted({ ...variable, name: names[variable.name] ?? variable.name }));
  const last = options.waitForAgent ? waitContainer(agent, offer, endpoint, options, client, { words, variables: renamed, volumeMounts }) : undefined;
  return {
    variables: renamed,
    volumes: [...volumes, ...(offer.sidecar?.volumes ?? []), ...(last && !options.waitImage && offer.wait?.files ? [waitVolume(agent)] : [])],
    volumeMounts,
    first: offer.sidecar?.initContainers ?? [],
    last,
    imagePullSecrets: offer.sidecar?.imagePullSecrets ?? [],
    group: endpoint.socket?.group,
    containers: options.containers,
  };
}

/** The node's own address is put into others by the kubelet. */
function hostOf({ node }: Endpoint, names: Record<string, string>): { host?: string } {
  if (!node) return {};
  const reference = `$(${names[node.variable] ?? node.variable})`;
  return { host: node.ipv6 ? `[${reference}]` : reference };
}

type Words = Record<string, string | undefined>;

function variablesOf(agent: IPolicyAgent, offer: ClientOffer, { address, node, variables }: Endpoint, words: Words): EnvVar[] {
  const told = Object.entries(variables).flatMap(([name, template]) => {
    const value = fillIn(template, words);
    return value === undefined ? [] : [{ name, value }];
  });
  if (address === ClientAddress.DISCOVERY) {
    const references = Object.keys(offer.discovery!).map((key) => ({ name: key, valueFrom: { configMapKeyRef: { key, name: agent.instanceName } } }));
    // What the ConfigMap does not hold: where this pod has the certificates.
    return [...references, ...told.filter(({ name }) => /\{(ca|serverName)\}/.test(variables[name]))];
  }
  // Before its users, or the kubelet leaves the reference as it is.
  return [...(node ? [{ name: node.variable, valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }] : []), ...told];
}

interface Mounted {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/** The directory, never the socket itself: that is another file after each restart of the agent. */
function socketOf({ instanceName }: IPolicyAgent, { socket }: Endpoint): Mounted[] {
  if (!socket) return [];
  const name = `${instanceName}-socket`;
  return [{ volume: { name, ...socket.volume }, mount: { mountPath: socket.directory, name, readOnly: true } }];
}

function certificates(
  agent: IPolicyAgent, { tls }: ClientOffer, { variables }: Endpoint, { caBundle }: PolicyClientOptions, { namespace }: BoundPod,
): Mounted[] {
  if (!tls) {
    if (caBundle) throw new Error('caBundle would do nothing: the agent has no TLS');
    return [];
  }
  if (!caBundle && !Object.values(variables).some((template) => template.includes('{ca}'))) return [];
  const bundle = caBundle ?? (tls.caSecret && namespace === agent.namespace ? CaBundle.fromSecret(tls.caSecret) : undefined);
  if (!bundle) {
    throw new Error('the agent has TLS, and its Secret cannot be read from another namespace: give caBundle (a ConfigMap or Secret in the client\'s namespace, or CaBundle.ofClient())');
  }
  if (!bundle._source) return [];
  const name = `${agent.instanceName}-ca`;
  return [{ volume: { name, ...bundle._source }, mount: { mountPath: `/etc/policy-agents/${agent.instanceName}`, name, readOnly: true } }];
}

interface WaitParts {
  readonly words: Words;
  readonly variables: EnvVar[];
  readonly volumeMounts: VolumeMount[];
}

function waitContainer(
  agent: IPolicyAgent, { wait, tls }: ClientOffer, endpoint: Endpoint, { waitImage }: PolicyClientOptions, { pod }: BoundPod, parts: WaitParts,
): Container {
  const { words, variables, volumeMounts } = parts;
  const name = `wait-for-${agent.instanceName}`;
  const base = wait?.container ?? { resources: { requests: { cpu: '10m', memory: '16Mi' } } };
  if (waitImage) return { ...base, name, image: waitImage, env: variables, volumeMounts };
  if (!wait || !endpoint.waitContainer) throw new Error('waitForAgent: the agent\'s image cannot wait for this address; name an image that waits (waitImage)');
  if (tls?.clientCertificates) throw new Error('waitForAgent: the agent answers only those who show a certificate; name an image that has one (waitImage)');
  if (!wait.waitsByItself && pod.restartPolicy === 'Never') {
    throw new Error('waitForAgent: one try is all that the agent\'s image makes, and restartPolicy Never lets the pod fail by it; name an image that waits (waitImage)');
  }
  const container = fillIn(endpoint.waitContainer, words);
  return {
    ...base,
    ...container,
    name,
    env: [...variables, ...(container.env ?? [])],
    volumeMounts: [...volumeMounts, ...(wait.files ? [{ name, mountPath: '/wait', readOnly: true }] : [])],
  };
}

function waitVolume(agent: IPolicyAgent): Volume {
  return { name: `wait-for-${agent.instanceName}`, configMap: { name: waitConfigMap(agent) } };
}
