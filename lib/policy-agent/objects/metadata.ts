import { Manifest } from '../../private/objects';
import { AgentSettings } from '../settings';

/** Metadata of an object of the agent. The namespace is left to the chart unless the agent names one. */
export function metadata(settings: AgentSettings, name: string, labels: Record<string, string> = {}): Manifest['metadata'] {
  return {
    name,
    ...(settings.props.namespace && { namespace: settings.props.namespace }),
    labels: { ...settings.objectLabels, ...labels },
    ...(settings.props.annotations && { annotations: { ...settings.props.annotations } }),
  };
}
