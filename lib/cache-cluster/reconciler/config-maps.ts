import { createHash } from 'crypto';
import { Lazy } from 'cdk8s';
import { RECONCILER_PROGRAM } from './program';
import { reconcilerMetadata, ReconcilerSettings, Served, watchesDefinitions } from './reconciler-settings';
import { ServedCluster } from './served-cluster';
import { Manifest } from '../../private/objects';

export const PROGRAM_FILE = 'program.js';
export const CONFIGURATION_FILE = 'config.json';
/** One folder for each cluster with a certificate of an authority of its own. */
export const CA_DIRECTORY = '/etc/config-reconciler-ca';

/** Another program is another ConfigMap, so that the Deployment changes with it, and an old pod never sees a new program. */
export function programName({ name }: ReconcilerSettings): string {
  return `${name}-program-${createHash('sha256').update(RECONCILER_PROGRAM).digest('hex').slice(0, 10)}`;
}

export function programManifest(settings: ReconcilerSettings): Manifest | undefined {
  if (settings.options.image !== undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: reconcilerMetadata(settings, programName(settings)),
    immutable: true,
    data: { [PROGRAM_FILE]: RECONCILER_PROGRAM },
  };
}

export function configurationName({ name }: ReconcilerSettings): string {
  return `${name}-configuration`;
}

/** The program follows the file, so the ConfigMap keeps its name, and clusters come and go without a restart. */
export function configurationManifest(settings: ReconcilerSettings, served: Served): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: reconcilerMetadata(settings, configurationName(settings)),
    data: { [CONFIGURATION_FILE]: Lazy.any({ produce: () => `${JSON.stringify(configuration(settings, served), undefined, 2)}\n` }) },
  };
}

/** Folder of a cluster's certificate of an authority, in the pod. */
export function caDirectory({ name }: ServedCluster): string {
  return `${CA_DIRECTORY}/${name}`;
}

/** @see docs/reference/config-reconciler.md */
function configuration(settings: ReconcilerSettings, served: Served) {
  const { name, logLevel, orphans } = settings;
  const definitions = watchesDefinitions(settings, served);
  return {
    instance: name,
    logLevel,
    orphans,
    definitions,
    clusters: served.clusters.map((cluster) => ({
      name: cluster.name,
      url: cluster.url,
      ...cluster.credentials,
      caFile: cluster.caSecret && `${caDirectory(cluster)}/ca.crt`,
      serverName: cluster.serverName,
      perPod: definitions ? cluster.podService : undefined,
      operator: cluster.operator,
      direction: cluster.direction,
      removal: cluster.removal,
      paused: cluster.paused,
    })),
  };
}
