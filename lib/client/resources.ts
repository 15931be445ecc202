import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { PodPlace } from './client-kind';
import { clientKindOf } from './client-kinds';
import { pathOf, valueAt } from './json-path';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { Json } from '../private/merge';

/** Every object within a construct, the construct itself included. */
export function objectsIn(scope: IConstruct): ApiObject[] {
  return scope.node.findAll().filter((construct): construct is ApiObject => ApiObject.isApiObject(construct));
}

/** Whether an object may make pods, as far as its kind tells. */
export function mayMakePods(object: ApiObject): boolean {
  return isList(object) || clientKindOf({ apiVersion: object.apiVersion, kind: object.kind }) !== undefined;
}

/** Changes a resource, or each one of a list of resources. */
export function mapResources(json: Json, change: (resource: Json) => Json): Json {
  if (!isList(json)) return change(json);
  const items = (json.items ?? []).map((item: Json) => mapResources(item, change));
  return items.some((item: Json, index: number) => item !== json.items[index]) ? { ...json, items } : json;
}

/** Whether a resource has the part that makes these pods, and they may ask at all. */
export function hasPlace(resource: Json, { within, onlyWith }: PodPlace): boolean {
  return valueAt(resource, pathOf(within)) != null && (!onlyWith || (valueAt(resource, pathOf(onlyWith.pointer)) ?? []).includes(onlyWith.value));
}

/** Whether an agent's labels select the pods of a resource: they are its own. */
export function selects({ podLabels, namespace }: Pick<IPolicyAgent, 'namespace' | 'podLabels'>, resource: Json, [{ podSpec }]: readonly PodPlace[]): boolean {
  const labels = (podSpec && valueAt(resource, [...pathOf(podSpec).slice(0, -1), 'metadata', 'labels'])) ?? {};
  return resource.metadata?.namespace === namespace && Object.entries(podLabels).every(([key, value]) => labels[key] === value);
}

/** A resource in a message. */
export function nameOf({ kind, metadata }: Json): string {
  return `${kind}/${metadata?.name}`;
}

function isList({ apiVersion, kind }: { readonly apiVersion?: any; readonly kind?: any }): boolean {
  return apiVersion === 'v1' && kind === 'List';
}
