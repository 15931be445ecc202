import { createHash } from 'crypto';
import { Lazy } from 'cdk8s';
import type { Container, EnvVar, PodSpec, PodTemplateSpec, Probe } from 'kubernetes-types/core/v1';
import { configurationFiles, LOGGING_FILE } from './config-map';
import { harden } from './harden';
import { PROBE_DEFAULTS, probeTimes } from './probes';
import { containerResources } from './resources';
import { scheduling } from './scheduling';
import { CLUSTER_PORT, FAILURE_DETECTION_PORT, pingServiceName } from './services';
import { engineVariables, nodeVariables } from '../../private/environment';
import { CHECKSUM_ANNOTATION } from '../../private/labels';
import { mergePodTemplate } from '../../private/merge';
import { parseQuantity } from '../../private/quantity';
import { CacheLibrary } from '../cache-library';
import {
  CLIENT_CA_DIRECTORY, CONFIG_DIRECTORY, KEYSTORE_FILE, loggingConfiguration, TLS_DIRECTORY, USERS_DIRECTORY,
} from '../server/server-configuration';
import { StaticDefinitions } from '../server/static-definitions';
import { ADMIN_PORT, CacheClusterSettings, CLIENT_PORT } from '../settings';
import { CacheFeature, hasFeature, imageTag } from '../versions';

const HOME = '/opt/infinispan/server';
const DATA_DIRECTORY = `${HOME}/data`;
const DEFAULT_GRACE_SECONDS = 300;
/** Of the grace period, what the server itself may take to stop. */
const STOP_SECONDS = 30;
/** Share of the volume that is kept back for a server that finds it full. */
const RESERVE_SHARE = 0.05;

/** The pods of a StatefulSet. Caches may still be added. */
export function podTemplate(settings: CacheClusterSettings, definitions: StaticDefinitions): PodTemplateSpec {
  const { props, podLabels } = settings;
  const user = props.runAsUser ?? 65532;
  const template: PodTemplateSpec = {
    metadata: {
      labels: { ...props.labels, ...podLabels },
      annotations: { ...props.podAnnotations, [CHECKSUM_ANNOTATION]: Lazy.any({ produce: () => checksum(settings, definitions) }) },
    },
    spec: {
      ...scheduling(settings),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(props.serviceAccountName && { serviceAccountName: props.serviceAccountName }),
      ...(props.priorityClassName && { priorityClassName: props.priorityClassName }),
      ...(props.imagePullSecrets && { imagePullSecrets: props.imagePullSecrets.map((name) => ({ name })) }),
      // What the image writes to belongs to group 0.
      securityContext: {
        runAsUser: user, runAsGroup: 0, runAsNonRoot: true, fsGroup: user, fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: { type: 'RuntimeDefault' },
      },
      terminationGracePeriodSeconds: graceSeconds(settings),
      ...initContainers(settings),
      containers: [server(settings, definitions)],
      volumes: volumes(settings),
    },
  };
  return props.podOverrides === undefined ? template : mergePodTemplate(template, props.podOverrides);
}

/** Everything that servers read when they start. */
function checksum(settings: CacheClusterSettings, definitions: StaticDefinitions): string {
  return createHash('sha256').update(JSON.stringify([configurationFiles(settings, definitions), loggingConfiguration(settings)])).digest('hex');
}

function server(settings: CacheClusterSettings, definitions: StaticDefinitions): Container {
  const { props, resources } = settings;
  return harden({
    name: 'infinispan',
    image: image(settings),
    args: Lazy.any({
      produce: () => [
        ...Object.keys(configurationFiles(settings, definitions)).map((file) => `--server-config=${CONFIG_DIRECTORY}/${file}`),
        `--logging-config=${CONFIG_DIRECTORY}/${LOGGING_FILE}`,
        '--bind-address=0.0.0.0',
        '--node-name=$(POD_NAME)',
        // The search path of the pod completes it, whatever the domain of the cluster.
        `-Djgroups.dns.query=${pingServiceName(settings)}`,
        '-Djgroups.bind.address=$(POD_IP)',
      ],
    }),
    env: [
      ...nodeVariables(),
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      // No user of the image's own.
      { name: 'MANAGED_ENV', value: 'TRUE' },
      { name: 'GC_LOG', value: 'false' },
      { name: 'JAVA_OPTIONS', value: ['-XX:MaxRAMPercentage=50', '-XX:+ExitOnOutOfMemoryError', ...(props.jvmOptions ?? [])].join(' ') },
      ...(props.libraries ? [{ name: 'SERVER_LIBS', value: props.libraries.map(installed).join(' ') }] : []),
      ...engineVariables(props.environment) as EnvVar[],
    ],
    ports: [
      { name: 'client', containerPort: CLIENT_PORT, protocol: 'TCP' },
      { name: 'admin', containerPort: ADMIN_PORT, protocol: 'TCP' },
      { name: 'cluster', containerPort: CLUSTER_PORT, protocol: 'TCP' },
      { name: 'failures', containerPort: FAILURE_DETECTION_PORT, protocol: 'TCP' },
    ],
    resources: containerResources(resources, 'the servers'),
    startupProbe: probe(settings, 'startupProbe'),
    livenessProbe: probe(settings, 'livenessProbe'),
    readinessProbe: probe(settings, 'readinessProbe'),
    lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', waitForOwners(graceSeconds(settings) - STOP_SECONDS)] } } },
    volumeMounts: mounts(settings),
  });
}

function image({ props, version }: CacheClusterSettings): string {
  return props.image ?? `quay.io/infinispan/server:${imageTag(version!)}`;
}

/** As the image's installer wants it. */
function installed({ _source, _hash }: CacheLibrary): string {
  if (!_hash) return _source;
  const [algorithm, digest] = _hash.split(':');
  return `${_source}|${algorithm === 'md5' ? 'MD5' : algorithm.replace('sha', 'SHA-')}|${digest}`;
}

function probe(settings: CacheClusterSettings, kind: keyof typeof PROBE_DEFAULTS): Probe {
  const own = hasFeature(CacheFeature.HEALTH_PROBES, settings.version!);
  const path = own ? { livenessProbe: 'live', readinessProbe: 'ready', startupProbe: 'ready' }[kind] : 'status';
  return { httpGet: { path: `/rest/v2/container/health/${path}`, port: 'admin' }, ...probeTimes(kind, settings.props[kind]) };
}

function graceSeconds({ props }: CacheClusterSettings): number {
  return props.terminationGracePeriod?.toSeconds() ?? DEFAULT_GRACE_SECONDS;
}

/** A server stops when all entries have their owners, so that one at a time may. One that does not answer stops at once. */
function waitForOwners(seconds: number): string {
  const url = `http://localhost:${ADMIN_PORT}/rest/v2/container/health/status`;
  return `n=0; while s=$(curl -fs ${url} || wget -qO- ${url}) && [ "$s" != HEALTHY ] && [ $n -lt ${Math.max(seconds, 0)} ]; do n=$((n+1)); sleep 1; done`;
}

/** Keeps some room back, and gives it up when the volume is full: otherwise no server could start to remove anything. */
function keepRoom(bytes: number): string {
  const kibibytes = Math.ceil(bytes / 1024);
  return `cd ${DATA_DIRECTORY} && set -- $(df -Pk . | tail -n 1) && if [ "$4" -gt ${2 * kibibytes} ]; then ` +
    `[ -f .reserve ] || dd if=/dev/zero of=.reserve bs=1024 count=${kibibytes} 2>/dev/null; ` +
    'else rm -f .reserve; echo "the volume is almost full: its reserve was given up"; fi';
}

function initContainers(settings: CacheClusterSettings): Pick<PodSpec, 'initContainers'> {
  const { props: { tls }, storage, storageSize } = settings;
  const shell = (name: string, script: string, volumeMounts: Container['volumeMounts']) => harden({
    name,
    image: image(settings),
    command: ['/bin/sh', '-c', script],
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    volumeMounts,
  });
  const containers = [
    ...(storage._persistent
      ? [shell('storage-guard', keepRoom(parseQuantity(storageSize, 'size of the storage') * RESERVE_SHARE), [{ name: 'data', mountPath: DATA_DIRECTORY }])]
      : []),
    ...(tls ? [shell('keystore', `umask 077 && cat ${TLS_DIRECTORY}/tls.crt ${TLS_DIRECTORY}/tls.key > ${KEYSTORE_FILE}`, [
      { name: 'tls', mountPath: TLS_DIRECTORY, readOnly: true }, { name: 'keystore', mountPath: '/run/infinispan' },
    ])] : []),
  ];
  return containers.length > 0 ? { initContainers: containers } : {};
}

/** Volumes and where the server has them; data have a volume of the StatefulSet's unless they are ephemeral. */
function places(settings: CacheClusterSettings) {
  const { props: { tls, usersSecret, libraries }, clusterName, storage, storageSize } = settings;
  const secret = (secretName: string, keys: string[]) => ({
    secret: { secretName, defaultMode: 0o440, optional: false, items: keys.map((key) => ({ key, path: key })) },
  });
  const clientCa = tls?._options.clientCertificatesSecret;
  return [
    { name: 'configuration', mountPath: CONFIG_DIRECTORY, readOnly: true, source: { configMap: { name: `${clusterName}-configuration` } } },
    { name: 'data', mountPath: DATA_DIRECTORY, source: storage._ephemeral && { emptyDir: { sizeLimit: storageSize } } },
    { name: 'log', mountPath: `${HOME}/log`, source: { emptyDir: { sizeLimit: '128Mi' } } },
    { name: 'tmp', mountPath: '/tmp', source: { emptyDir: { sizeLimit: '128Mi' } } },
    ...(libraries ? [{ name: 'lib', mountPath: `${HOME}/lib`, source: { emptyDir: { sizeLimit: '512Mi' } } }] : []),
    ...(usersSecret ? [{ name: 'users', mountPath: USERS_DIRECTORY, readOnly: true, source: secret(usersSecret, ['users.properties', 'groups.properties']) }] : []),
    ...(tls ? [
      { name: 'tls', mountPath: TLS_DIRECTORY, readOnly: true, source: secret(tls._secretName, ['tls.crt', 'tls.key']) },
      { name: 'keystore', mountPath: '/run/infinispan', readOnly: true, source: { emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } } },
    ] : []),
    ...(clientCa ? [{ name: 'client-ca', mountPath: CLIENT_CA_DIRECTORY, readOnly: true, source: secret(clientCa, ['ca.crt']) }] : []),
  ];
}

function mounts(settings: CacheClusterSettings): Container['volumeMounts'] {
  return places(settings).map(({ name, mountPath, readOnly }: { name: string; mountPath: string; readOnly?: boolean }) =>
    ({ name, mountPath, ...(readOnly && { readOnly }) }));
}

function volumes(settings: CacheClusterSettings): PodSpec['volumes'] {
  return places(settings).filter(({ source }) => source).map(({ name, source }) => ({ name, ...source }));
}
