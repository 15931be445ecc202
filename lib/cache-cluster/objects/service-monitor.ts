import { metadata } from './metadata';
import { Manifest } from '../../private/objects';
import { CacheClusterSettings } from '../settings';

/** The ServiceMonitor of a StatefulSet, if the user asks for one. */
export function serviceMonitorManifest(settings: CacheClusterSettings): Manifest | undefined {
  const { props, clusterName, podLabels, authentication } = settings;
  const options = props.monitoring?._serviceMonitor;
  if (!options) return undefined;
  const secret = options.credentialsSecret ?? props.clientCredentialsSecret;
  const { labels, ...rest } = metadata(settings, clusterName);
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { ...rest, labels: { ...labels, ...options.labels } },
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/name': podLabels['app.kubernetes.io/name'], 'app.kubernetes.io/instance': clusterName } },
      endpoints: [{
        port: 'infinispan-adm',
        path: '/metrics',
        ...(options.interval && { interval: `${options.interval.toSeconds()}s` }),
        ...(authentication && { basicAuth: { username: { name: secret, key: 'username' }, password: { name: secret, key: 'password' } } }),
      }],
    },
  };
}
