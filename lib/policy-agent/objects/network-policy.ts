import type { NetworkPolicyIngressRule, NetworkPolicySpec } from 'kubernetes-types/networking/v1';
import { metadata } from './metadata';
import { apiPorts, listeningPort } from './ports';
import { Manifest } from '../../private/objects';
import { PolicyEngineBinding, PolicyEnginePort } from '../engine';
import { NetworkPeer } from '../network-peer';
import { AgentSettings } from '../settings';

/** Lets clients and scrapers in, and nobody else, if the user asks for it. */
export function networkPolicyManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest | undefined {
  const { networkPolicy } = settings.props;
  if (!networkPolicy) return undefined;
  const numbers = (ports: PolicyEnginePort[]) => [...new Set(ports.map((port) => listeningPort(port, binding).port))];
  const rule = (peers: NetworkPeer[], allowed: number[]): NetworkPolicyIngressRule[] => peers.length === 0 || allowed.length === 0 ? [] : [{
    from: peers.map(({ _peer }) => _peer),
    ports: allowed.map((port) => ({ protocol: 'TCP', port })),
  }];
  const spec: NetworkPolicySpec = {
    podSelector: { matchLabels: settings.selectorLabels },
    policyTypes: ['Ingress'],
    ingress: [
      ...rule(networkPolicy.clients, numbers(apiPorts(binding))),
      ...rule(networkPolicy.metrics ?? [], numbers(binding.ports.filter(({ name }) => name === binding.metricsPort))),
    ],
  };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: metadata(settings, settings.instanceName), spec };
}
