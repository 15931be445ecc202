import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import type { PodSpec } from 'kubernetes-types/core/v1';
import { addAffinity } from './add-affinity';
import { termsFor } from './affinity-terms';
import { bindPod } from './bind-pod';
import { ClientKind, PodPlace } from './client-kind';
import { clientKindOf } from './client-kinds';
import { ClientObjects } from './client-objects';
import { ClientOffer, Endpoint } from './client-offer';
import { pathOf, updateAt, valueAt } from './json-path';
import { LateChange } from './late-changes';
import { podBinding } from './pod-binding';
import { PolicyClientOptions } from './policy-client-options';
import { refuseClient, refuseNodesWithoutAgent, refuseUnused } from './refuse-client';
import { hasPlace, mapResources, mayMakePods, nameOf, objectsIn } from './resources';
import { catalogsOf } from './trino-catalogs';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { CHECKSUM_ANNOTATION, CLIENT_METADATA } from '../private/labels';
import { Json } from '../private/merge';
import { warn } from '../private/messages';

/** An agent as a construct of the tree. */
export type AgentConstruct = IPolicyAgent & IConstruct;

/** The change of one client that was named. */
export class ExplicitClient implements LateChange {
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
        if (!again) this.agent.node.addMetadata(CLIENT_METADATA, `${object.node.path} (${nameOf(resource)}): named by addClient`);
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
    refuseClient({ agent, offer, object, resource, kind, places });
    this.checkReference(resource, kind, say);
    const terms = termsFor(agent, namespace, options);
    const pods = places.filter(({ podSpec }) => podSpec && valueAt(resource, pathOf(podSpec))?.containers);
    if (pods.length === 0) refuseUnused(options);
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
    if (!endpoint) return resource;
    refuseNodesWithoutAgent(pod, agent, offer, endpoint, options);
    this.clientObjects.check(resource.metadata?.namespace, offer, endpoint, options);
    const binding = podBinding(agent, offer, endpoint, options, { pod, namespace: resource.metadata?.namespace });
    const result = updateAt(resource, path, () => bindPod(pod, binding, say));
    if (!offer.sidecar) return result;
    return updateAt(result, [...path.slice(0, -1), 'metadata', 'annotations', `${agent.instanceName}.${CHECKSUM_ANNOTATION}`], () => offer.sidecar!.checksum);
  }

  /** An operator finds the agent by a reference of the resource's own. */
  private checkReference(resource: Json, kind: ClientKind | undefined, say: (message: string) => void) {
    for (const { pointer } of kind?.references?.filter(({ holds }) => holds === 'configMap') ?? []) {
      const found = valueAt(resource, pathOf(pointer));
      const field = pointer.slice(1).replaceAll('/', '.');
      if (found === undefined) {
        say(`it refers to no agent, so its pods ask none: set ${field} to ${this.agent.instanceName}`);
      } else if (found !== this.agent.instanceName) {
        throw new Error(`${field} is ${found}, but the discovery ConfigMap of the agent is called ${this.agent.instanceName}`);
      } else {
        this.clientObjects.checkDiscovery(resource.metadata?.namespace);
      }
    }
  }
}
