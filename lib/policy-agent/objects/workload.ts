import type { DaemonSetSpec, DeploymentSpec } from 'kubernetes-types/apps/v1';
import { metadata } from './metadata';
import { groupLabels, podTemplate } from './pod-template';
import { ROLE_GROUP_LABEL } from '../../private/labels';
import { Manifest } from '../../private/objects';
import { PolicyEngineBinding } from '../engine';
import { AgentSettings, RoleGroupSettings } from '../settings';

/** The DaemonSet or Deployment of a role group. */
export function workloadManifest(
  settings: AgentSettings, binding: PolicyEngineBinding, group: RoleGroupSettings, podAnnotations: Record<string, string>,
): Manifest {
  const { workloadKind, strategyField } = settings.traits;
  const spec: DaemonSetSpec & DeploymentSpec = {
    ...(group.replicas !== undefined && { replicas: group.replicas }),
    selector: { matchLabels: groupLabels(settings, group) },
    [strategyField]: { type: 'RollingUpdate', rollingUpdate: settings.rollout },
    template: podTemplate(settings, binding, group, podAnnotations),
  };
  return {
    apiVersion: 'apps/v1',
    kind: workloadKind,
    metadata: metadata(settings, group.workloadName, { [ROLE_GROUP_LABEL]: group.name }),
    spec,
  };
}
