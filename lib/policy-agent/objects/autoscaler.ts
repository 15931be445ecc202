import type { HorizontalPodAutoscalerSpec } from 'kubernetes-types/autoscaling/v2';
import { metadata } from './metadata';
import { ROLE_GROUP_LABEL } from '../../private/labels';
import { Manifest } from '../../private/objects';
import { AgentSettings, RoleGroupSettings } from '../settings';

/** The autoscaler of a role group that asks for one. */
export function autoscalerManifest(settings: AgentSettings, group: RoleGroupSettings): Manifest | undefined {
  if (!group.autoscaling || !settings.traits.scaled) return undefined;
  const { minReplicas, maxReplicas, targetCpuPercent } = group.autoscaling;
  const spec: HorizontalPodAutoscalerSpec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: settings.mode, name: group.workloadName },
    minReplicas,
    maxReplicas,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: targetCpuPercent } } }],
  };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadata(settings, group.workloadName, { [ROLE_GROUP_LABEL]: group.name }),
    spec,
  };
}
