import { Lazy } from 'cdk8s';
import { metadata } from './metadata';
import { PREFIX } from '../../private/labels';
import { Manifest } from '../../private/objects';
import { formatOf } from '../configuration/format';
import { loggingConfiguration, serverConfiguration } from '../server/server-configuration';
import { StaticDefinitions } from '../server/static-definitions';
import { CacheClusterSettings } from '../settings';

/** On the ConfigMap: what the caches were, so that the next release can be compared with this one. */
export const STATIC_CACHES_ANNOTATION = `${PREFIX}/static-caches`;
export const LOGGING_FILE = 'log4j2.xml';

/** Files of the servers' configuration by name, each laid over those before. Caches may still be added. */
export function configurationFiles(settings: CacheClusterSettings, definitions: StaticDefinitions): Record<string, string> {
  const { serverConfiguration: own } = settings.props;
  return {
    'infinispan.xml': serverConfiguration(settings),
    ...(own !== undefined && { [`own.${formatOf(own).toLowerCase()}`]: own }),
    ...definitions.files(),
  };
}

/** The ConfigMap of a StatefulSet. */
export function configMapManifest(settings: CacheClusterSettings, definitions: StaticDefinitions): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(settings, `${settings.clusterName}-configuration`, {
      [STATIC_CACHES_ANNOTATION]: Lazy.any({ produce: () => JSON.stringify(definitions.checksums()) }),
    }),
    data: Lazy.any({ produce: () => ({ ...configurationFiles(settings, definitions), [LOGGING_FILE]: loggingConfiguration(settings) }) }),
  };
}

/** What the operator lays over the configuration that it makes. */
export function overlayManifest(settings: CacheClusterSettings, name: string): Manifest | undefined {
  const { serverConfiguration: own } = settings.props;
  if (own === undefined) return undefined;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(settings, name), data: { [`infinispan-config.${formatOf(own).toLowerCase()}`]: own } };
}
