import { ConfigDirection, ConfigRemoval } from './config-policies';
import { ReconciledClusterOptions } from './reconciled-cluster-options';
import { CacheDeploymentMode } from '../cache-deployment-mode';
import { ClusterFacts } from '../cluster-facts';
import { ICacheCluster } from '../i-cache-cluster';
import { adminServiceName } from '../names';
import { ADMIN_PORT } from '../settings';
import { CacheFeature, hasFeature } from '../versions';

/** What a reconciler must know of a cluster that it serves, with every default filled in. */
export interface ServedCluster {
  readonly name: string;
  readonly url: string;
  readonly credentials?: { readonly secret: string; readonly usernameKey: string; readonly passwordKey: string };
  readonly caSecret?: string;
  readonly serverName?: string;
  readonly operator: boolean;
  readonly direction: ConfigDirection;
  readonly removal: ConfigRemoval;
  readonly paused: boolean;
  /** Of the servers' pods, each of which tells of counters of its own only. */
  readonly podService?: string;
}

const { SERVER_TO_RESOURCES, BOTH } = ConfigDirection;

/** Fills in the defaults, and refuses what would fail or do nothing. */
export function servedCluster(cluster: ICacheCluster, facts: ClusterFacts, options: ReconciledClusterOptions): ServedCluster {
  const { clusterName: name } = cluster;
  const operator = cluster.deploymentMode === CacheDeploymentMode.OPERATOR;
  const direction = options.direction ?? (operator ? SERVER_TO_RESOURCES : BOTH);
  if (operator && direction === BOTH) {
    throw new Error(`direction BOTH of cluster ${name}: its operator gives the servers what resources say, so only SERVER_TO_RESOURCES is allowed`);
  }
  const removal = options.removal ?? ConfigRemoval.KEEP;
  if (!operator && direction === SERVER_TO_RESOURCES && removal === ConfigRemoval.REMOVE) {
    throw new Error(`removal REMOVE of cluster ${name} has no effect with direction SERVER_TO_RESOURCES: leave one of both out`);
  }
  return {
    name,
    ...address(name, facts, options),
    credentials: credentials(name, operator, facts, options),
    operator,
    direction,
    removal,
    paused: options.paused ?? false,
    podService: options.podService ?? (options.url === undefined && tellsByPods(facts) ? adminServiceName(name) : undefined),
  };
}

/** Port by which a cluster is asked. */
export function portOf({ url }: ServedCluster): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function tellsByPods({ version }: ClusterFacts): boolean {
  return version === undefined || hasFeature(CacheFeature.COUNTER_EVENTS, version);
}

function address(name: string, facts: ClusterFacts, { url, caSecret, serverName }: ReconciledClusterOptions): Pick<ServedCluster, 'url' | 'caSecret' | 'serverName'> {
  if (url !== undefined && !/^https?:\/\/[^/?#@\s]+$/.test(url)) {
    throw new Error(`url of cluster ${name} must be such as https://infinispan:11222, without a user or a path, given ${JSON.stringify(url)}`);
  }
  const tls = url?.startsWith('https:') ?? false;
  const idle = tls ? undefined : caSecret !== undefined ? 'caSecret' : serverName !== undefined ? 'serverName' : undefined;
  if (idle) throw new Error(`${idle} of cluster ${name} has no effect without an url of https: the administrative port has no TLS`);
  return { url: url ?? `http://${facts.adminHost}:${ADMIN_PORT}`, caSecret: tls ? caSecret ?? facts.caSecret : undefined, serverName };
}

function credentials(name: string, operator: boolean, facts: ClusterFacts, options: ReconciledClusterOptions): ServedCluster['credentials'] {
  const { credentialsSecret, usernameKey = 'username', passwordKey = 'password' } = options;
  // The operator's administrative port knows its own user only, and always asks.
  const operators = operator && options.url === undefined ? `${name}-generated-operator-secret` : undefined;
  if (!facts.authentication && !operators) {
    if (credentialsSecret) throw new Error(`credentialsSecret of cluster ${name} has no effect: its servers ask nobody who they are`);
    return undefined;
  }
  const secret = credentialsSecret ?? operators ?? facts.clientCredentialsSecret;
  if (!secret) {
    throw new Error(`a ConfigReconciler of cluster ${name} needs a user who may do everything: name a Secret with keys username and password ` +
      '(clientCredentialsSecret of the cluster, or credentialsSecret)');
  }
  return { secret, usernameKey, passwordKey };
}
