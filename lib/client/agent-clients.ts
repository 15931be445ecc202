import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import type { PodSpec } from 'kubernetes-types/core/v1';
import { addAffinity } from './add-affinity';
import { termsFor } from './affinity-terms';
import { bindPod } from './bind-pod';
import { checkAffinityOptions } from './check-affinity-options';
import { chooseEndpoint } from './choose-endpoint';
import { ClientKind, PodPlace } from './client-kind';
import { clientKindOf } from './client-kinds';
import { ClientObjects } from './client-objects';
import { ClientOffer, Endpoint } from './client-offer';
import { pathOf, updateAt, valueAt } from './json-path';
import { changeLate, LateChange } from './late-changes';
import { nodeWithoutAgent } from './node-local';
import { podBinding } from './pod-binding';
import { ClientAddress, PolicyClientOptions } from './policy-client-options';
import { hasPlace, mapResources, mayMakePods, nameOf, objectsIn, selects } from './resources';
import { catalogsOf } from './trino-catalogs';
import { Acknowledgement } from '../policy-agent/acknowledgement';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { CHECKSUM_ANNOTATION, CLIENT_METADATA } from '../private/labels';
import { Json } from '../private/merge';
import { locateErrors, warn } from '../private/messages';

/** An agent as a construct of the tree. */
export type AgentConstruct = IPolicyAgent & IConstruct;

/** Makes a construct a client of an agent. What it holds is changed at synth; objects that it needs are made at once. */
export function bindClient(agent: AgentConstruct, offer: ClientOffer, objects: ClientObjects, client: IConstruct, options: PolicyClientOptions = {}) {
  const change = locateErrors(agent, () => {
    checkAffinityOptions(options);
    options.affinityPointers?.forEach(pathOf);
    const endpoint = chooseEndpoint(offer, options);
    objects.prepare(client, offer, endpoint, options);
    return new ExplicitClient(agent, offer, objects, client, endpoint, options);
  });
  changeLate(agent, change);
}

/** The change of one client that was named. */
class ExplicitClient implements LateChange {
  private readonly seen = new Set<ApiObject>();
  private readonly bound = new Set<ApiObject>();

  constructor(
    private readonly agent: AgentConstruct,
    private readonly offer: ClientOffer,
    private readonly clientObjects: ClientObjects,
    private readonly client: IConstruct,
    private readonly endpoint: Endpoint | undefined,
    private readonly options: PolicyClientOptions,
  ) {}

  public objects(): ApiObject[] {
    return objectsIn(this.client).filter((object) => this.options.affinityPointers !== undefined || mayMakePods(object));
  }

  public change(json: Json, object: ApiObject): Json {
    const again = this.seen.has(object);
    this.seen.add(object);
    return mapResources(json, (resource) => {
      const name = `client ${object.node.path} (${nameOf(resource)})`;
      const say = (message: string) => again || warn(this.agent, `${name}: ${message}`);
      try {
        const places = this.placesOf(resource);
        if (places.length === 0) return resource;
        if (!again && !this.bound.has(object)) this.agent.node.addMetadata(CLIENT_METADATA, `${object.node.path} (${nameOf(resource)}): named by addClient`);
        this.bound.add(object);
        return this.bind(resource, object, places, say);
      } catch (error) {
        this.bound.add(object);
        throw new Error(`${name}: ${(error as Error).message}`);
      }
    });
  }

  public check(): string[] {
    if (this.bound.size > 0) return [];
    const objects = objectsIn(this.client);
    const kinds = [...new Set(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].join(', ') || 'no objects';
    return [`client ${this.client.node.path} holds nothing whose pods could ask the agent, but ${kinds}: name a workload, a custom resource with the roles that ask ` +
      '(roles), or where its pods get their affinity (affinityPointers)'];
  }

  /** The kinds of pods of a resource that are clients. */
  private placesOf(resource: Json): PodPlace[] {
    const kind = clientKindOf(resource);
    const { roles, affinityPointers } = this.options;
    if (affinityPointers && !kind?.builtIn) return affinityPointers.map((affinity) => ({ affinity, within: '/spec' }));
    if (!kind) return [];
    const unknown = roles?.find((role) => !kind.places.some((place) => place.role === role));
    if (unknown && !kind.builtIn) throw new Error(`there is no role ${unknown}; ${kind.kind} has ${kind.places.map(({ role }) => role ?? 'none').join(', ')}`);
    return kind.places.filter((place) => hasPlace(resource, place)
      && (roles && !kind.builtIn ? roles.includes(place.role!) : place.asks !== false && !place.onlyNamed));
  }

  private bind(resource: Json, object: ApiObject, places: PodPlace[], say: (message: string) => void): Json {
    const { agent, offer, options } = this;
    const kind = clientKindOf(resource);
    const namespace = resource.metadata?.namespace;
    this.refuseItself(resource, object, places);
    if (offer.sidecar && !kind?.builtIn) throw new Error('its pods are made by an operator, so they cannot have the agent in them: use another deploymentMode');
    if (agent.namespace === undefined && namespace !== undefined && !offer.sidecar) {
      throw new Error(`it is in namespace ${namespace}, but the agent's namespace is not known at synth: give both, or none, a namespace`);
    }
    this.checkReference(resource, kind, say);
    const terms = termsFor(agent, namespace, options);
    const pods = places.filter(({ podSpec }) => podSpec && valueAt(resource, pathOf(podSpec))?.containers);
    this.refuseUnused(pods);
    let result = resource;
    for (const place of places) {
      if (!offer.sidecar) result = addAffinity(result, place, { terms, catalogs: () => catalogsOf(object), warn: say });
      if (pods.includes(place)) result = this.bindPods(result, place, say);
    }
    return result;
  }

  private bindPods(resource: Json, { podSpec }: PodPlace, say: (message: string) => void): Json {
    const { agent, offer, endpoint, options } = this;
    const path = pathOf(podSpec!);
    const pod: PodSpec = valueAt(resource, path);
    this.refuseNodesWithoutAgent(pod);
    if (!endpoint) return resource;
    this.clientObjects.check(resource.metadata?.namespace, offer, endpoint, options);
    const binding = podBinding(agent, offer, endpoint, options, { pod, namespace: resource.metadata?.namespace });
    const result = updateAt(resource, path, () => bindPod(pod, binding, say));
    if (!offer.sidecar) return result;
    return updateAt(result, [...path.slice(0, -1), 'metadata', 'annotations', `${agent.instanceName}.${CHECKSUM_ANNOTATION}`], () => offer.sidecar!.checksum);
  }

  /** A pod cannot be drawn to itself, nor wait for itself. */
  private refuseItself(resource: Json, object: ApiObject, places: PodPlace[]) {
    const { agent, offer } = this;
    if ((!offer.sidecar && selects(agent, resource, places)) || object.node.scopes.includes(agent)) throw new Error(`it is the agent ${agent.instanceName} itself: an agent is no client of its own`);
  }

  /** An operator finds the agent by a reference of the resource's own. */
  private checkReference(resource: Json, kind: ClientKind | undefined, say: (message: string) => void) {
    for (const { pointer, holds } of kind?.references?.filter((reference) => reference.holds === 'configMap') ?? []) {
      const found = valueAt(resource, pathOf(pointer));
      const field = pointer.slice(1).replaceAll('/', '.');
      if (found === undefined) {
        say(`it refers to no agent, so its pods ask none: set ${field} to ${this.agent.instanceName}`);
      } else if (found !== this.agent.instanceName) {
        throw new Error(`${field} is ${found}, but the ${holds === 'configMap' ? 'discovery ConfigMap' : 'address'} of the agent is called ${this.agent.instanceName}`);
      } else {
        this.clientObjects.checkDiscovery(resource.metadata?.namespace);
      }
    }
  }

  /** What can only be given to containers. */
  private refuseUnused(pods: PodPlace[]) {
    if (pods.length > 0) return;
    const { containers, variables, caBundle, waitForAgent, address } = this.options;
    const given = Object.entries({ containers, variables, caBundle, waitForAgent, address })
      .filter(([, value]) => value !== undefined && value !== ClientAddress.NONE);
    if (given.length > 0) {
      throw new Error(`${given.map(([name]) => name).join(' and ')} would do nothing: its pods are made by an operator, which must be told the address by its own settings`);
    }
  }

  /** Where only the agent of the same node answers, there must be one. */
  private refuseNodesWithoutAgent(pod: PodSpec) {
    const { agent, offer, endpoint, options } = this;
    if (!endpoint?.nodeLocal || options.acknowledge?.includes(Acknowledgement.CLIENT_BEYOND_AGENT)) return;
    const node = offer.nodes ? nodeWithoutAgent(pod, offer.nodes) : 'most nodes';
    if (!node) return;
    throw new Error(
      `it is bound to the agent of its own node (${endpoint.address}), but may stand on ${node}, where agent ${agent.instanceName} does not: narrow its nodeSelector ` +
      'or tolerations, widen the agent\'s role groups, use a Service with internalTrafficPolicy CLUSTER, or acknowledge CLIENT_BEYOND_AGENT',
    );
  }
}
