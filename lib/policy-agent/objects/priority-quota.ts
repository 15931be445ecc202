import type { ResourceQuotaSpec } from 'kubernetes-types/core/v1';
import { metadata } from './metadata';
import { Manifest } from '../../private/objects';
import { AgentSettings } from '../settings';

/**
 * The ResourceQuota without which clusters that limit `system-*` priority classes (GKE does) admit no such pod outside
 * of `kube-system`. It counts pods and, in effect, limits nothing.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default
 */
export function priorityQuotaManifest(settings: AgentSettings): Manifest | undefined {
  const { priorityClassName } = settings.props;
  if (!priorityClassName?.startsWith('system-') || settings.namespace === 'kube-system') return undefined;
  const spec: ResourceQuotaSpec = {
    hard: { pods: '1G' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [priorityClassName] }] },
  };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: metadata(settings, `${settings.instanceName}-priority`), spec };
}
