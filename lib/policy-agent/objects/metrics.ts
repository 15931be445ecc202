import { metadata } from './metadata';
import { Manifest } from '../../private/objects';
import { scrapeAnnotations } from '../../private/scraping';
import { PolicyEngineBinding } from '../engine';
import { AgentSettings } from '../settings';

/** The annotations by which Prometheus finds the pods. */
export function metricsAnnotations(settings: AgentSettings, binding: PolicyEngineBinding): Record<string, string> {
  if (!settings.metrics._annotations || !binding.metricsPort) return {};
  const { port } = binding.ports.find(({ name }) => name === binding.metricsPort)!;
  return scrapeAnnotations({ port, path: binding.metricsPath ?? '/metrics', scheme: scheme(binding) });
}

/** The PodMonitor, if the user asks for one. */
export function podMonitorManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest | undefined {
  const { _podMonitor: options } = settings.metrics;
  if (!options || !binding.metricsPort) return undefined;
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: metadata(settings, settings.instanceName, options.labels),
    spec: {
      selector: { matchLabels: settings.selectorLabels },
      podMetricsEndpoints: [{
        port: binding.metricsPort,
        path: binding.metricsPath ?? '/metrics',
        scheme: scheme(binding),
        ...(options.interval && { interval: `${options.interval.toSeconds()}s` }),
        ...(binding.metricsTls && { tlsConfig: tlsConfig(settings) }),
      }],
    },
  };
}

/** Pods are scraped by their addresses, which no certificate holds, so the name to verify must be said. */
function tlsConfig({ tls, serviceHost }: AgentSettings) {
  const serverName = tls!.serverName ?? serviceHost;
  return serverName
    ? { serverName, ca: { secret: { name: tls!.secretName, key: 'ca.crt', optional: true } } }
    : { insecureSkipVerify: true };
}

function scheme({ metricsTls }: PolicyEngineBinding): string {
  return metricsTls ? 'https' : 'http';
}
