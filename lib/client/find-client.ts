import type { Container, PodSpec } from 'kubernetes-types/core/v1';
import { AgentReference, ClientKind } from './client-kind';
import { pathOf, valueAt } from './json-path';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { AGENT_LABEL } from '../private/labels';
import { Json } from '../private/merge';

/** What a resource says about an agent. */
export interface Finding {
  /** What it says. */
  readonly reason: string;
  /** Whether it may mean another agent of that name, since nobody can tell at synth if the namespaces are the same. */
  readonly inDoubt: boolean;
}

/** Looks whether a resource says that it is a client of an agent. */
export function findClient(resource: Json, kind: ClientKind, agent: IPolicyAgent): Finding | undefined {
  const namespace = resource.metadata?.namespace;
  const doubt = (agent.namespace === undefined) !== (namespace === undefined);
  const near = (reason: string | undefined) => reason && (doubt || agent.namespace === namespace) ? { reason, inDoubt: doubt } : undefined;
  const far = (reason: string | undefined) => reason ? { reason, inDoubt: false } : undefined;

  const label = resource.metadata?.labels?.[AGENT_LABEL] ?? templateLabels(resource, kind)?.[AGENT_LABEL];
  if (label) {
    const reason = `label ${AGENT_LABEL}: ${label}`;
    return label === `${agent.instanceName}.${agent.namespace}` ? far(reason) : near(label === agent.instanceName ? reason : undefined);
  }
  for (const reference of kind.references ?? []) {
    const found = valueAt(resource, pathOf(reference.pointer));
    if (found === undefined) continue;
    return reference.holds === 'configMap'
      ? near(found === agent.instanceName ? reasonOf(reference, found) : undefined)
      : ofUrl(reasonOf(reference, found), String(found), agent, near, far);
  }
  return kind.builtIn ? near(referenceOfPod(valueAt(resource, pathOf(kind.places[0].podSpec!)), agent.instanceName)) : undefined;
}

function reasonOf({ pointer }: AgentReference, value: string): string {
  return `${pointer.slice(1).replaceAll('/', '.')}: ${value}`;
}

function templateLabels(resource: Json, { places: [{ podSpec }] }: ClientKind): Record<string, string> | undefined {
  return podSpec && valueAt(resource, [...pathOf(podSpec).slice(0, -1), 'metadata', 'labels']);
}

type Judge = (reason?: string) => Finding | undefined;

/** A URL means the agent if its host is the agent's Service, by the short name or with the namespace. */
function ofUrl(
  reason: string, url: string, { serviceName, namespace }: IPolicyAgent, near: Judge, far: Judge,
): Finding | undefined {
  const [, host] = /^[a-z]+:\/\/([^/:?#]+)/.exec(url) ?? [];
  if (host === serviceName) return near(reason);
  const [service, inNamespace, svc] = (host ?? '').split('.');
  return service === serviceName && inNamespace === namespace && (svc === undefined || svc === 'svc') ? far(reason) : undefined;
}

/** How a pod refers to a ConfigMap, if it does. */
function referenceOfPod(pod: PodSpec | undefined, name: string): string | undefined {
  for (const container of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])] as Container[]) {
    const variable = container.env?.find(({ valueFrom }) => valueFrom?.configMapKeyRef?.name === name);
    if (variable) return `variable ${variable.name} of container ${container.name} from ConfigMap ${name}`;
    const all = container.envFrom?.some(({ configMapRef }) => configMapRef?.name === name);
    if (all) return `variables of container ${container.name} from ConfigMap ${name}`;
  }
  const volume = pod?.volumes?.find(({ configMap, projected }) => [{ configMap }, ...(projected?.sources ?? [])]
    .some((source) => source.configMap?.name === name));
  return volume && `volume ${volume.name} from ConfigMap ${name}`;
}
