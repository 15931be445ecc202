import type { Affinity, NodeAffinity, PodSpec } from 'kubernetes-types/core/v1';
import { NodeRequirement, TopologySpread } from '../../policy-agent/scheduling';
import { acceptedTaints, matchExpressions } from '../../private/scheduling';
import { CacheClusterSettings } from '../settings';

/** Where pods may stand and had better stand; both modes say it the same way. */
export function scheduling(
  { props, podLabels, traits }: CacheClusterSettings,
): Pick<PodSpec, 'affinity' | 'tolerations' | 'topologySpreadConstraints'> {
  const { nodes = [], tolerations = [] } = props;
  const topologySpread: TopologySpread[] = props.topologySpread ?? traits.topologySpread.map((topologyKey) => ({ topologyKey }));
  const affinity: Affinity = {
    ...(nodes.length > 0 && { nodeAffinity: requiredNodes(nodes) }),
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{
        weight: props.spreadWeight ?? 100,
        podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: podLabels } },
      }],
    },
  };
  return {
    affinity,
    ...(tolerations.length > 0 && { tolerations: acceptedTaints(tolerations) }),
    ...(topologySpread.length > 0 && {
      topologySpreadConstraints: topologySpread.map(({ topologyKey, maxSkew = 1, whenUnsatisfiable = 'ScheduleAnyway' }) => ({
        topologyKey,
        maxSkew,
        whenUnsatisfiable,
        labelSelector: { matchLabels: podLabels },
        ...(traits.revisionLabel && { matchLabelKeys: [traits.revisionLabel] }),
      })),
    }),
  };
}

/** Nodes that meet all conditions. */
export function requiredNodes(nodes: NodeRequirement[]): NodeAffinity {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: matchExpressions(nodes) }],
    },
  };
}
