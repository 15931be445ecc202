import { CacheAcknowledgement } from './cache-acknowledgement';
import { CacheClusterProps } from './cache-cluster-props';
import { CACHE_MODES, CacheDeploymentMode, CacheModeTraits } from './cache-deployment-mode';
import { CacheResources } from './cache-resources';
import { CacheStorage } from './cache-storage';
import { CacheUpgradeStrategy } from './cache-upgrade-strategy';
import { adminServiceName } from './names';
import { checkSemver, checkVersion, DEFAULT_VERSION } from './versions';
import { MANAGED_BY_LABEL } from '../private/labels';
import { checkDnsLabel, dnsLabelOf, serviceHost } from '../private/names';
import { parseQuantity } from '../private/quantity';

/** Port by which clients ask, in whatever protocol. */
export const CLIENT_PORT = 11222;
/** Port of administration and metrics. */
export const ADMIN_PORT = 11223;

const DEFAULT_MEMORY = '1Gi';

/** What the props come to: every default filled in, nothing checked across props yet. */
export interface CacheClusterSettings {
  readonly props: CacheClusterProps;
  readonly mode: CacheDeploymentMode;
  readonly traits: CacheModeTraits;
  readonly clusterName: string;
  /** Undefined when not known at synth. */
  readonly namespace?: string;
  readonly replicas: number;
  /** Undefined where the operator chooses. */
  readonly version?: string;
  readonly storage: CacheStorage;
  /** Bytes of a server's volume. */
  readonly storageSize: string;
  readonly resources: CacheResources & { readonly memoryLimit: string };
  readonly authentication: boolean;
  readonly authorization: boolean;
  readonly upgradeStrategy: CacheUpgradeStrategy;
  readonly podLabels: Record<string, string>;
  readonly objectLabels: Record<string, string>;
  readonly host: string;
  readonly adminHost: string;
  readonly acknowledged: CacheAcknowledgement[];
}

/** Fills in the defaults. */
export function cacheClusterSettings(id: string, chartNamespace: string | undefined, props: CacheClusterProps): CacheClusterSettings {
  const mode = props.deploymentMode ?? CacheDeploymentMode.OPERATOR;
  const traits = CACHE_MODES[mode];
  const operated = mode === CacheDeploymentMode.OPERATOR;
  const clusterName = checkDnsLabel(props.clusterName ?? dnsLabelOf(id), 'clusterName (by default the id of the construct)');
  // Longest name that is made of it: that of a Service or of a pod's revision label.
  if (clusterName.length > 52) throw new Error(`clusterName must have at most 52 characters, given ${clusterName.length}: ${clusterName}`);
  const namespace = props.namespace ?? chartNamespace;
  if (props.clusterDomain && !namespace) throw new Error('clusterDomain needs a namespace, which is not known at synth: addresses are short without one');
  const replicas = props.replicas ?? 3;
  if (!(Number.isInteger(replicas) && replicas >= 0)) throw new Error(`replicas must be a whole number of at least 0, given ${replicas}`);
  for (const what of ['version', 'previousVersion'] as const) {
    const given = props[what];
    if (given !== undefined) checkVersion(given, what);
  }
  if (props.operatorVersion !== undefined) checkSemver(props.operatorVersion, 'operatorVersion');
  const podLabels = traits.podLabels(clusterName);
  const clash = Object.keys(props.labels ?? {}).find((label) => Object.hasOwn(podLabels, label));
  if (clash) throw new Error(`labels must not contain ${clash}: it identifies the servers' pods`);
  const memoryLimit = props.resources?.memoryLimit ?? DEFAULT_MEMORY;
  const storage = props.storage ?? CacheStorage.persistent();
  const authentication = props.endpointAuthentication ?? true;
  return {
    props,
    mode,
    traits,
    clusterName,
    namespace,
    replicas,
    version: props.version ?? (operated ? undefined : DEFAULT_VERSION),
    storage,
    storageSize: storage._persistent?.size ?? storage._ephemeral?.sizeLimit ?? largest(DEFAULT_MEMORY, memoryLimit),
    resources: { ...(operated ? {} : { cpuRequest: '500m', memoryRequest: memoryLimit }), ...props.resources, memoryLimit },
    authentication,
    authorization: props.authorization ?? authentication,
    upgradeStrategy: props.upgradeStrategy ?? (operated ? CacheUpgradeStrategy.SHUTDOWN : CacheUpgradeStrategy.IN_PLACE_ROLLING),
    podLabels,
    objectLabels: { 'app.kubernetes.io/name': 'infinispan', 'app.kubernetes.io/instance': clusterName, [MANAGED_BY_LABEL]: 'cdk8s', ...props.labels },
    host: serviceHost(clusterName, namespace, props.clusterDomain),
    adminHost: serviceHost(adminServiceName(clusterName), namespace, props.clusterDomain),
    acknowledged: props.acknowledge ?? [],
  };
}

function largest(first: string, second: string): string {
  return parseQuantity(first, 'memory') >= parseQuantity(second, 'memory limit') ? first : second;
}
