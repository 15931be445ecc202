import { ConfigOrphans, ConfigReconcilerLogLevel } from './config-policies';
import { ConfigReconcilerOptions } from './config-reconciler-props';
import { ServedCluster } from './served-cluster';
import { COMPONENT_LABEL, INSTANCE_LABEL, MANAGED_BY_LABEL, NAME_LABEL } from '../../private/labels';
import { checkDnsLabel, dnsLabelOf } from '../../private/names';
import { Manifest } from '../../private/objects';
import { CacheResources } from '../cache-resources';

/** The stock image that the program is tested with. */
const NODE_IMAGE = 'docker.io/library/node:20.20.2-slim';

/** What the options come to, with every default filled in. */
export interface ReconcilerSettings {
  readonly options: ConfigReconcilerOptions;
  readonly name: string;
  /** Undefined when not known at synth. */
  readonly namespace?: string;
  readonly logLevel: ConfigReconcilerLogLevel;
  readonly orphans: ConfigOrphans;
  readonly nodeImage: string;
  readonly serviceAccountName: string;
  readonly resources: CacheResources & { readonly memoryLimit: string };
  readonly graceSeconds: number;
  readonly podLabels: Record<string, string>;
}

/** What it serves; grows until synth. */
export interface Served {
  readonly clusters: ServedCluster[];
  /** Names of the ConfigMaps with definitions that this app makes. */
  readonly definitions: string[];
}

/** Whether definitions are looked for at all. */
export function watchesDefinitions({ options }: ReconcilerSettings, { definitions }: Served): boolean {
  return options.definitions ?? definitions.length > 0;
}

/** Fills in the defaults, and refuses what would fail or do nothing. */
export function reconcilerSettings(id: string, namespace: string | undefined, options: ConfigReconcilerOptions): ReconcilerSettings {
  const name = checkDnsLabel(options.reconcilerName ?? dnsLabelOf(id), 'reconcilerName (by default the id of the construct)');
  if (options.image !== undefined && options.nodeImage !== undefined) {
    throw new Error(`nodeImage ${options.nodeImage} has no effect with image ${options.image}, which has a program of its own: leave one of both out`);
  }
  const podLabels = { [NAME_LABEL]: 'config-reconciler', [INSTANCE_LABEL]: name, [COMPONENT_LABEL]: 'reconciler' };
  const clash = Object.keys(options.labels ?? {}).find((label) => Object.hasOwn(podLabels, label));
  if (clash) throw new Error(`labels must not contain ${clash}: it identifies the pod`);
  const memoryLimit = options.resources?.memoryLimit ?? '128Mi';
  const graceSeconds = options.terminationGracePeriod?.toSeconds() ?? 15;
  return {
    options,
    name,
    namespace,
    logLevel: options.logLevel ?? ConfigReconcilerLogLevel.INFO,
    orphans: options.orphans ?? ConfigOrphans.KEEP,
    nodeImage: options.nodeImage ?? NODE_IMAGE,
    serviceAccountName: options.serviceAccountName ?? name,
    resources: { cpuRequest: '10m', memoryRequest: '32Mi', ...options.resources, memoryLimit },
    graceSeconds,
    podLabels,
  };
}

/** Metadata of its objects. */
export function reconcilerMetadata({ options, namespace, podLabels }: ReconcilerSettings, name: string): Manifest['metadata'] {
  const { labels, annotations = {} } = options;
  return {
    name,
    ...(namespace && { namespace }),
    labels: { ...podLabels, [MANAGED_BY_LABEL]: 'cdk8s', ...labels },
    ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
  };
}
