import { ApiObject } from 'cdk8s';
import type { PodSpec } from 'kubernetes-types/core/v1';
import { ClientKind, PodPlace } from './client-kind';
import { ClientOffer, Endpoint } from './client-offer';
import { nodeWithoutAgent } from './node-local';
import { ClientAddress, PolicyClientOptions } from './policy-client-options';
import { selects } from './resources';
import { Acknowledgement } from '../policy-agent/acknowledgement';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { Json } from '../private/merge';

/** A resource that is to be a client. */
export interface Candidate {
  readonly agent: IPolicyAgent;
  readonly offer: ClientOffer;
  readonly object: ApiObject;
  readonly resource: Json;
  readonly kind?: ClientKind;
  readonly places: PodPlace[];
}

/** Refuses a resource that cannot be a client, whatever its pods are like. */
export function refuseClient({ agent, offer: { sidecar }, object, resource, kind, places }: Candidate) {
  const isAgent = object.node.scopes.some((scope) => scope === agent as unknown) || (!sidecar && selects(agent, resource, places));
  if (isAgent) throw new Error(`it is the agent ${agent.instanceName} itself: a pod cannot be drawn to itself, nor wait for itself`);
  if (sidecar && !kind?.builtIn) throw new Error('its pods are made by an operator, so they cannot have the agent in them: use another deploymentMode');
  const { namespace } = resource.metadata ?? {};
  if (agent.namespace === undefined && namespace !== undefined && !sidecar) {
    throw new Error(`it is in namespace ${namespace}, but the agent's namespace is not known at synth: give both, or none, a namespace`);
  }
}

/** Refuses what can only be given to containers, where there are none. */
export function refuseUnused({ containers, variables, caBundle, waitForAgent, address }: PolicyClientOptions) {
  const given = Object.entries({ containers, variables, caBundle, waitForAgent, address })
    .filter(([, value]) => value !== undefined && value !== ClientAddress.NONE);
  if (given.length === 0) return;
  const names = given.map(([name]) => name).join(' and ');
  throw new Error(`${names} would do nothing: its pods are made by an operator, which must be told the address by its own settings`);
}

/** Where only the agent of the same node answers, there must be one. */
export function refuseNodesWithoutAgent(
  pod: PodSpec, agent: IPolicyAgent, { nodes }: ClientOffer, endpoint: Endpoint, { acknowledge }: PolicyClientOptions,
) {
  if (!endpoint.nodeLocal || acknowledge?.includes(Acknowledgement.CLIENT_BEYOND_AGENT)) return;
  const node = nodes ? nodeWithoutAgent(pod, nodes) : 'most nodes';
  if (!node) return;
  throw new Error(
    `it is bound to the agent of its own node (${endpoint.address}), but may stand on ${node}, where agent ${agent.instanceName} does not: narrow its nodeSelector ` +
    'or tolerations, widen the agent\'s role groups, use a Service with internalTrafficPolicy CLUSTER, or acknowledge CLIENT_BEYOND_AGENT',
  );
}
