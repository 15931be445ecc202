import type { NetworkPolicyIngressRule, NetworkPolicySpec } from 'kubernetes-types/networking/v1';
import type { PodDisruptionBudgetSpec } from 'kubernetes-types/policy/v1';
import { metadata } from './metadata';
import { CLUSTER_PORT, FAILURE_DETECTION_PORT } from './services';
import { NetworkPeer } from '../../policy-agent/network-peer';
import { Manifest } from '../../private/objects';
import { ADMIN_PORT, CacheClusterSettings, CLIENT_PORT } from '../settings';

/** Of two owners of an entry, one stays. Servers that are not ready count: they may hold entries. */
export function disruptionBudgetManifest(settings: CacheClusterSettings): Manifest | undefined {
  const { disruptionBudget } = settings.props;
  const limits = disruptionBudget ? disruptionBudget._spec : { maxUnavailable: 1 };
  if (!limits) return undefined;
  const spec: PodDisruptionBudgetSpec = { ...limits, selector: { matchLabels: settings.podLabels } };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: metadata(settings, settings.clusterName), spec };
}

/** The pod that keeps resources and servers in step, in the same namespace, and where it asks. */
interface ReconcilerAccess {
  readonly podLabels: Record<string, string>;
  readonly port: number;
}

/** Only servers reach the ports between servers, which ask nobody who they are. */
export function networkPolicyManifest(settings: CacheClusterSettings, reconciler?: ReconcilerAccess): Manifest {
  const { clients, administrators = [] } = settings.props.networkPolicy ?? {};
  const spec: NetworkPolicySpec = {
    podSelector: { matchLabels: settings.podLabels },
    policyTypes: ['Ingress'],
    ingress: [
      rule([{ podSelector: { matchLabels: settings.podLabels } }], [CLUSTER_PORT, FAILURE_DETECTION_PORT, CLIENT_PORT, ADMIN_PORT]),
      ...(clients ? peers(clients, CLIENT_PORT) : [rule(undefined, [CLIENT_PORT])]),
      ...peers(administrators, ADMIN_PORT),
      ...(reconciler ? [rule([{ podSelector: { matchLabels: reconciler.podLabels } }], [reconciler.port])] : []),
    ],
  };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: metadata(settings, settings.clusterName), spec };
}

/** No rule for nobody: one without peers would let everyone in. */
function peers(some: NetworkPeer[], port: number): NetworkPolicyIngressRule[] {
  return some.length === 0 ? [] : [rule(some.map(({ _peer }) => _peer), [port])];
}

function rule(from: NetworkPolicyIngressRule['from'], ports: number[]): NetworkPolicyIngressRule {
  return { ...(from && { from }), ports: ports.map((port) => ({ protocol: 'TCP', port })) };
}
