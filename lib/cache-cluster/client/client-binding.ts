import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1';
import { CacheClientOptions, CacheProtocol } from './cache-client-options';
import { PodBinding } from '../../client/bind-pod';
import { CaBundle } from '../../client/ca-bundle';
import { secretVariable } from '../../private/environment';
import { ClusterFacts } from '../cluster-facts';
import { ICacheCluster } from '../i-cache-cluster';
import { CLIENT_PORT } from '../settings';

/** Schemes of addresses, in plain text and with TLS; Memcached has none. */
const SCHEMES: Record<CacheProtocol, readonly [string, string] | undefined> = {
  [CacheProtocol.HOT_ROD]: ['hotrod', 'hotrods'],
  [CacheProtocol.REST]: ['http', 'https'],
  [CacheProtocol.RESP]: ['redis', 'rediss'],
  [CacheProtocol.MEMCACHED]: undefined,
};

/** What the pods of a client are given, who are in some namespace. */
export function cacheClientBinding(
  cluster: ICacheCluster, facts: ClusterFacts, options: CacheClientOptions, clientNamespace: string | undefined,
): PodBinding {
  const near = cluster.namespace === clientNamespace;
  const ca = certificates(cluster, facts, options, near);
  const variables = [
    ...addressOf(facts, options.protocol ?? CacheProtocol.HOT_ROD),
    ...credentialsOf(cluster, facts, options, near),
    ...(ca ? [{ name: 'INFINISPAN_CA_FILE', value: `${ca.mount.mountPath}/ca.crt` }] : []),
  ];
  const { variables: names = {}, containers } = options;
  const unknown = Object.keys(names).find((name) => !variables.some((variable) => variable.name === name));
  if (unknown) throw new Error(`variables: there is no variable ${unknown} to call otherwise; there are ${variables.map(({ name }) => name).join(', ')}`);
  return {
    variables: variables.map((variable) => ({ ...variable, name: names[variable.name] ?? variable.name })),
    volumes: ca ? [ca.volume] : [],
    volumeMounts: ca ? [ca.mount] : [],
    first: [],
    imagePullSecrets: [],
    containers,
  };
}

function addressOf({ host, caSecret }: ClusterFacts, protocol: CacheProtocol): EnvVar[] {
  const scheme = SCHEMES[protocol]?.[caSecret === undefined ? 0 : 1];
  return [
    { name: 'INFINISPAN_HOST', value: host },
    { name: 'INFINISPAN_PORT', value: String(CLIENT_PORT) },
    ...(scheme ? [{ name: 'INFINISPAN_URL', value: `${scheme}://${host}:${CLIENT_PORT}` }] : []),
  ];
}

/** By reference: no password is ever in a manifest. */
function credentialsOf({ clusterName }: ICacheCluster, facts: ClusterFacts, { credentialsSecret }: CacheClientOptions, near: boolean): EnvVar[] {
  if (!facts.authentication) {
    if (credentialsSecret) throw new Error('credentialsSecret would do nothing: the cluster asks nobody who they are');
    return [];
  }
  const secretName = credentialsSecret ?? (near ? facts.clientCredentialsSecret : undefined);
  if (!secretName) {
    throw new Error(facts.clientCredentialsSecret
      ? `Secret ${facts.clientCredentialsSecret} of cluster ${clusterName} cannot be read from another namespace: give credentialsSecret, with a copy of it`
      : `cluster ${clusterName} asks clients who they are: name a Secret with keys username and password (clientCredentialsSecret of the cluster, or credentialsSecret); ` +
        'the one that the operator makes has no such keys');
  }
  return [
    secretVariable('INFINISPAN_USERNAME', { secretName, key: 'username' }),
    secretVariable('INFINISPAN_PASSWORD', { secretName, key: 'password' }),
  ];
}

function certificates(
  { clusterName }: ICacheCluster, { caSecret }: ClusterFacts, { caBundle }: CacheClientOptions, near: boolean,
): { readonly volume: Volume; readonly mount: VolumeMount } | undefined {
  if (caSecret === undefined) {
    if (caBundle) throw new Error('caBundle would do nothing: the cluster has no TLS');
    return undefined;
  }
  const bundle = caBundle ?? (near ? CaBundle.fromSecret(caSecret) : undefined);
  if (!bundle) {
    throw new Error(`Secret ${caSecret} of cluster ${clusterName} cannot be read from another namespace: give caBundle (a ConfigMap or Secret in the client's ` +
      'namespace, or CaBundle.ofClient())');
  }
  if (!bundle._source) return undefined;
  const name = `${clusterName}-ca`;
  return { volume: { name, ...bundle._source }, mount: { mountPath: `/etc/infinispan/${clusterName}`, name, readOnly: true } };
}
