import type { PodTemplateSpec } from 'kubernetes-types/core/v1';
import { nodeCoverage, nodeSelectionOf } from '../../private/node-coverage';
import { Acknowledgement } from '../acknowledgement';
import { PolicyEngineBinding } from '../engine';
import { hasHostPort, isSome, rolloutOf } from '../objects/rollout';
import { AgentSettings } from '../settings';
import { InternalTrafficPolicy } from '../traffic';

/** Throws when the role groups' pods, as they were rendered with all overrides, would not run as their mode promises. */
export function refuseRendered(settings: AgentSettings, binding: PolicyEngineBinding, templates: Record<string, PodTemplateSpec>) {
  for (const [group, template] of Object.entries(templates)) {
    if (settings.traits.workload) refuseRollout(settings, template);
    refuseDoubles(template, group);
    refuseMissingVariables(binding, template);
  }
  refuseCoverage(settings, templates);
}

function refuseRollout(settings: AgentSettings, template: PodTemplateSpec) {
  const { traits, mode, socket } = settings;
  const { maxSurge, maxUnavailable } = rolloutOf(settings, template);
  // A Deployment may well surge by more than all of its pods.
  for (const [name, value] of Object.entries({ ...(traits.perNode && { maxSurge }), maxUnavailable })) {
    if (typeof value === 'string' && parseFloat(value) > 100) throw new Error(`rollout.${name} must be at most 100%, given ${value}`);
  }
  if (traits.perNode && isSome(maxSurge) && (socket || hasHostPort(template))) {
    throw new Error(`rollout.maxSurge ${maxSurge} with ${hasHostPort(template)
      ? 'a hostPort: the new pod waits for the port of the old one, which waits for the new pod'
      : 'a Unix socket: the old pod removes the socket of the new one when it stops, unnoticed by Kubernetes'}; leave maxSurge out`);
  }
  const [surge, unavailable] = [isSome(maxSurge), isSome(maxUnavailable)];
  if (traits.perNode ? surge !== unavailable : surge || unavailable) return;
  throw new Error(`rollout with maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable}: ` +
    (traits.perNode ? `deploymentMode ${mode} allows exactly one of them to be above 0` : 'one of them must be above 0'));
}

/** What Kubernetes refuses, or takes the last of without a word. */
function refuseDoubles({ spec }: PodTemplateSpec, group: string) {
  for (const { name: container, env = [], volumeMounts = [] } of spec!.containers) {
    refuseTwice(env.map(({ name }) => name), (name) => `container ${container} of role group ${group} sets variable ${name} twice`);
    refuseTwice(volumeMounts.map(({ mountPath }) => mountPath), (path) => `container ${container} of role group ${group} mounts ${path} twice`);
  }
}

/** A reference to a variable that is not set is a text like any other to one engine, and ends the other one. */
function refuseMissingVariables({ requiredVariables = [] }: PolicyEngineBinding, { spec }: PodTemplateSpec) {
  const [{ env = [], envFrom = [] }] = spec!.containers;
  const missing = requiredVariables.find((variable) => !env.some(({ name }) => name === variable));
  if (missing && envFrom.length === 0) throw new Error(`the configuration refers to variable ${missing}, which is not set: name it in environment`);
}

function refuseTwice(values: string[], message: (value: string) => string) {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw new Error(message(twice));
}

function refuseCoverage({ traits, service, internalTrafficPolicy, acknowledged }: AgentSettings, templates: Record<string, PodTemplateSpec>) {
  if (!traits.perNode) return;
  const selections = Object.entries(templates).map(([group, { spec }]) => [group, nodeSelectionOf(spec!)] as const);
  const { overlapping, uncovered } = nodeCoverage(Object.fromEntries(selections));
  if (overlapping && !acknowledged.includes(Acknowledgement.OVERLAPPING_ROLE_GROUPS)) {
    throw new Error(
      `role groups ${overlapping.first} and ${overlapping.second} may both select ${overlapping.nodes}, which would then run two agents: give them ` +
      'nodes that exclude each other (In and NotIn, Exists and DoesNotExist on one label), or acknowledge OVERLAPPING_ROLE_GROUPS',
    );
  }
  const local = service && internalTrafficPolicy === InternalTrafficPolicy.LOCAL;
  if (uncovered && local && !acknowledged.includes(Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE)) {
    throw new Error(
      `internalTrafficPolicy Local, but no role group provably selects ${uncovered}: clients there get no answer, since their packets are ` +
      'dropped; widen the role groups, set internalTrafficPolicy to CLUSTER, or acknowledge LOCAL_WITHOUT_FULL_COVERAGE',
    );
  }
}
