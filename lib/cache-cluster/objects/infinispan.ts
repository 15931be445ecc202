import { metadata } from './metadata';
import { probeTimes } from './probes';
import { operatorResources } from './resources';
import { scheduling } from './scheduling';
import { engineVariables } from '../../private/environment';
import { Json } from '../../private/merge';
import { Manifest } from '../../private/objects';
import { CacheConfigListenerOptions, CacheConfigListenerLogLevel } from '../cache-config-listener';
import { CacheLocalSite, CacheSiteEncryption, CacheSites } from '../cache-sites';
import { CacheClusterSettings } from '../settings';

/** Name of the ConfigMap with the user's own server configuration. */
export function overlayName({ clusterName }: CacheClusterSettings): string {
  return `${clusterName}-overlay`;
}

/** The resource that the operator makes a cluster of. What its webhook would fill in is stated, where it has a meaning. */
export function infinispanManifest(settings: CacheClusterSettings): Manifest {
  const { props, clusterName, version, replicas, upgradeStrategy } = settings;
  const { affinity, tolerations, topologySpreadConstraints } = scheduling(settings);
  const own = metadata(settings, clusterName, operatorAnnotations(settings));
  return {
    apiVersion: 'infinispan.org/v1',
    kind: 'Infinispan',
    metadata: { ...own, labels: { ...own.labels, ...props.monitoring?._serviceMonitor?.labels } },
    spec: {
      replicas,
      ...(version && { version }),
      ...(props.image && { image: props.image }),
      ...(props.serviceAccountName && { serviceAccountName: props.serviceAccountName }),
      ...(props.serverConfiguration && { configMapName: overlayName(settings) }),
      container: container(settings),
      service: service(settings),
      security: security(settings),
      upgrades: { type: upgradeStrategy },
      configListener: configListener(props.configReconciler?._way.listener),
      scheduling: {
        affinity,
        ...(tolerations && { tolerations }),
        ...(topologySpreadConstraints && { topologySpreadConstraints }),
        ...(props.priorityClassName && { PriorityClassName: props.priorityClassName }),
      },
      ...(props.expose && { expose: defined(props.expose._spec) }),
      ...((props.logCategories || props.logPattern) && { logging: defined({ categories: props.logCategories, pattern: props.logPattern }) }),
      ...((props.libraries || props.librariesVolumeClaim) && { dependencies: dependencies(settings) }),
    },
  };
}

/** The operator copies labels and annotations of its resource to objects when it is told their keys. */
function operatorAnnotations({ props }: CacheClusterSettings): Record<string, string> {
  const { labels = {}, podAnnotations = {}, annotations = {}, monitoring } = props;
  const monitor = monitoring?._serviceMonitor;
  const list = (keys: string[]) => keys.join(',');
  return {
    ...podAnnotations,
    'infinispan.org/monitoring': String(monitor !== undefined),
    ...(Object.keys(labels).length > 0 && { 'infinispan.org/targetLabels': list(Object.keys(labels)), 'infinispan.org/podTargetLabels': list(Object.keys(labels)) }),
    ...(Object.keys(annotations).length > 0 && { 'infinispan.org/targetAnnotations': list(Object.keys(annotations)) }),
    ...(Object.keys(podAnnotations).length > 0 && { 'infinispan.org/podTargetAnnotations': list(Object.keys(podAnnotations)) }),
    ...(monitor?.labels && { 'infinispan.org/serviceMonitorTargetLabels': list(Object.keys(monitor.labels)) }),
  };
}

function container({ props, resources }: CacheClusterSettings): Json {
  return {
    ...operatorResources(resources, 'the servers'),
    ...(props.jvmOptions && { extraJvmOpts: props.jvmOptions.join(' ') }),
    ...(props.cliJvmOptions && { cliExtraJvmOpts: props.cliJvmOptions.join(' ') }),
    ...(props.routerJvmOptions && { routerExtraJvmOpts: props.routerJvmOptions.join(' ') }),
    ...(props.environment && { env: engineVariables(props.environment) }),
  };
}

function service({ props, storage, storageSize }: CacheClusterSettings): Json {
  const { sites, terminationGracePeriod } = props;
  return {
    type: 'DataGrid',
    container: {
      ...(storage._ephemeral
        ? { ephemeralStorage: true }
        : { storage: storageSize, ...(storage._persistent!.storageClassName && { storageClassName: storage._persistent!.storageClassName }) }),
      ...(terminationGracePeriod && { terminationGracePeriodSeconds: terminationGracePeriod.toSeconds() }),
      livenessProbe: probeTimes('livenessProbe', props.livenessProbe),
      readinessProbe: probeTimes('readinessProbe', props.readinessProbe),
      startupProbe: probeTimes('startupProbe', props.startupProbe),
    },
    ...(sites && { sites: wireSites(sites) }),
  };
}

function security({ props, authentication, authorization }: CacheClusterSettings): Json {
  const { tls, roles, usersSecret } = props;
  const { clientCertificates, clientCertificatesSecret } = tls?._options ?? {};
  return {
    endpointAuthentication: authentication,
    ...(usersSecret && { endpointSecretName: usersSecret }),
    authorization: {
      enabled: authorization,
      ...(roles && { roles: roles.map(({ name, permissions }) => ({ name, permissions: [...permissions] })) }),
    },
    endpointEncryption: tls ? {
      type: tls._serviceName ? 'Service' : 'Secret',
      ...(tls._serviceName && { certServiceName: tls._serviceName }),
      certSecretName: tls._secretName,
      clientCert: clientCertificates ?? 'None',
      ...(clientCertificatesSecret && { clientCertSecretName: clientCertificatesSecret }),
    } : { type: 'None' },
  };
}

/** Never left to the operator, whose default is on, without requests or limits. */
function configListener(options?: CacheConfigListenerOptions): Json {
  if (!options) return { enabled: false };
  const resources = { cpuLimit: '500m', cpuRequest: '100m', memoryLimit: '256Mi', memoryRequest: '64Mi', ...defined({ ...options.resources }) };
  return {
    enabled: true,
    ...operatorResources(resources, 'the listener'),
    logging: { level: options.logLevel ?? CacheConfigListenerLogLevel.INFO },
    ...(options.serviceAccountName && { serviceAccountName: options.serviceAccountName }),
  };
}

function dependencies({ props }: CacheClusterSettings): Json {
  return {
    ...(props.libraries && {
      artifacts: props.libraries.map(({ _kind, _source, _hash }) => ({ [_kind]: _source, ...(_hash && { hash: _hash }) })),
    }),
    ...(props.librariesVolumeClaim && { volumeClaimName: props.librariesVolumeClaim }),
  };
}

function wireSites({ local, locations = [] }: CacheSites): Json {
  return {
    local: {
      name: local.name,
      expose: defined({
        type: local.expose, port: local.port, nodePort: local.nodePort, routeHostName: local.routeHostName, annotations: local.annotations,
      }),
      ...(local.maxRelayNodes !== undefined && { maxRelayNodes: local.maxRelayNodes }),
      discovery: discovery(local),
      ...(local.encryption && { encryption: encryption(local.encryption) }),
    },
    ...(locations.length > 0 && { locations: locations.map((location) => defined({ ...location })) }),
  };
}

function discovery(local: CacheLocalSite): Json {
  return {
    type: 'gossiprouter',
    launchGossipRouter: local.launchGossipRouter ?? true,
    ...operatorResources(local.routerResources ?? {}, 'the router'),
    ...(local.suspectEvents !== undefined && { suspectEvents: local.suspectEvents }),
    heartbeats: {
      enabled: true,
      interval: local.heartbeatInterval?.toMilliseconds() ?? 10_000,
      timeout: local.heartbeatTimeout?.toMilliseconds() ?? 30_000,
    },
  };
}

function encryption({ protocol, transportKeyStore, routerKeyStore, trustStore }: CacheSiteEncryption): Json {
  return {
    ...(protocol && { protocol }),
    transportKeyStore: defined({ ...transportKeyStore }),
    routerKeyStore: defined({ ...routerKeyStore }),
    ...(trustStore && { trustStore: defined({ ...trustStore }) }),
  };
}

/** The object without keys whose value is undefined. */
function defined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
