import { Manifest } from '../../private/objects';
import { CacheClusterSettings } from '../settings';

/** Metadata of an object of the cluster. The namespace is left to the chart unless the cluster names one. */
export function metadata(settings: CacheClusterSettings, name: string, annotations: Record<string, any> = {}): Manifest['metadata'] {
  const all = { ...settings.props.annotations, ...annotations };
  return {
    name,
    ...(settings.props.namespace && { namespace: settings.props.namespace }),
    labels: { ...settings.objectLabels },
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
}
