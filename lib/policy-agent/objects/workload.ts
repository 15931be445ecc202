import type { DaemonSetSpec, DeploymentSpec } from 'kubernetes-types/apps/v1';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1';
import { metadata } from './metadata';
import { groupLabels } from './pod-template';
import { rolloutOf } from './rollout';
import { ROLE_GROUP_LABEL } from '../../private/labels';
import { Manifest } from '../../private/objects';
import { AgentSettings, RoleGroupSettings } from '../settings';

/**
 * A pod counts as available some seconds after it is ready, so that it is an endpoint of the Service by the time that its
 * workload counts as rolled out, and what comes next may rely on it.
 */
const SECONDS_UNTIL_REACHED = 5;

/** The DaemonSet or Deployment of a role group. */
export function workloadManifest(settings: AgentSettings, group: RoleGroupSettings, template: PodTemplateSpec): Manifest {
  const { kind, strategyField } = settings.traits.workload!;
  const spec: DaemonSetSpec & DeploymentSpec = {
    ...(group.replicas !== undefined && { replicas: group.replicas }),
    ...(settings.previous && { minReadySeconds: SECONDS_UNTIL_REACHED }),
    selector: { matchLabels: groupLabels(settings, group) },
    [strategyField]: { type: 'RollingUpdate', rollingUpdate: rolloutOf(settings, template) },
    template,
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: metadata(settings, group.workloadName, { [ROLE_GROUP_LABEL]: group.name }),
    spec,
  };
}
