import type { DeploymentSpec } from 'kubernetes-types/apps/v1';
import type { Container, PodTemplateSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1';
import { caDirectory, CONFIGURATION_FILE, configurationName, PROGRAM_FILE, programName } from './config-maps';
import { reconcilerMetadata, ReconcilerSettings } from './reconciler-settings';
import { ServedCluster } from './served-cluster';
import { mergePodTemplate } from '../../private/merge';
import { Manifest } from '../../private/objects';
import { parseQuantity } from '../../private/quantity';
import { acceptedTaints } from '../../private/scheduling';
import { scrapeAnnotations } from '../../private/scraping';
import { harden } from '../objects/harden';
import { containerResources } from '../objects/resources';
import { requiredNodes } from '../objects/scheduling';

const PROGRAM_DIRECTORY = '/opt/config-reconciler';
const CONFIGURATION_DIRECTORY = '/etc/config-reconciler';
const METRICS_PORT = 8080;
const USER = 65532;

/** One pod at a time: two would not harm each other, but write everything twice. */
export function deploymentManifest(settings: ReconcilerSettings): Manifest {
  const spec: DeploymentSpec = {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: { ...settings.podLabels } },
    template: podTemplate(settings),
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: reconcilerMetadata(settings, settings.name), spec };
}

/** The certificate by which a cluster's servers are verified, as a file. Names of volumes are too short for those of clusters. */
export function caVolume(cluster: ServedCluster, number: number): { readonly volume: Volume; readonly mount: VolumeMount } {
  const name = `ca-${number}`;
  return {
    volume: { name, secret: { secretName: cluster.caSecret, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    mount: { name, mountPath: caDirectory(cluster), readOnly: true },
  };
}

/** The PodMonitor, if the user asks for one. */
export function reconcilerMonitorManifest(settings: ReconcilerSettings): Manifest | undefined {
  const options = settings.options.metrics?._podMonitor;
  if (!options) return undefined;
  const { labels, ...rest } = reconcilerMetadata(settings, settings.name);
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { ...rest, labels: { ...labels, ...options.labels } },
    spec: {
      selector: { matchLabels: { ...settings.podLabels } },
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', ...(options.interval && { interval: `${options.interval.toSeconds()}s` }) }],
    },
  };
}

function podTemplate(settings: ReconcilerSettings): PodTemplateSpec {
  const { options, podLabels } = settings;
  const { nodes = [], tolerations = [] } = options;
  const annotations = { ...metricsAnnotations(settings), ...options.podAnnotations };
  const template: PodTemplateSpec = {
    metadata: { labels: { ...options.labels, ...podLabels }, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...(nodes.length > 0 && { affinity: { nodeAffinity: requiredNodes(nodes) } }),
      ...(tolerations.length > 0 && { tolerations: acceptedTaints(tolerations) }),
      ...(options.priorityClassName && { priorityClassName: options.priorityClassName }),
      serviceAccountName: settings.serviceAccountName,
      // The program writes resources, so unlike other pods it needs a token; that of its own service account can do nothing else.
      automountServiceAccountToken: true,
      enableServiceLinks: false,
      ...(options.imagePullSecrets && { imagePullSecrets: options.imagePullSecrets.map((name) => ({ name })) }),
      securityContext: { runAsUser: USER, runAsGroup: USER, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      terminationGracePeriodSeconds: settings.graceSeconds,
      containers: [container(settings)],
      volumes: [
        { name: 'configuration', configMap: { name: configurationName(settings), items: [{ key: CONFIGURATION_FILE, path: CONFIGURATION_FILE }] } },
        ...(options.image === undefined ? [{ name: 'program', configMap: { name: programName(settings) } }] : []),
      ],
    },
  };
  return options.podOverrides === undefined ? template : mergePodTemplate(template, options.podOverrides);
}

function container(settings: ReconcilerSettings): Container {
  const { options: { image }, nodeImage, resources } = settings;
  const args = [`--config=${CONFIGURATION_DIRECTORY}/${CONFIGURATION_FILE}`, `--port=${METRICS_PORT}`];
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' }, timeoutSeconds: 3 });
  return harden({
    name: 'config-reconciler',
    ...(image === undefined
      ? { image: nodeImage, command: ['node', ...memoryOptions(resources.memoryLimit), `${PROGRAM_DIRECTORY}/${PROGRAM_FILE}`], args }
      : { image, args, env: [{ name: 'NODE_OPTIONS', value: memoryOptions(resources.memoryLimit).join(' ') }] }),
    ports: [{ name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' }],
    resources: containerResources(resources, 'a ConfigReconciler'),
    startupProbe: { ...probe('/livez'), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 20, failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, failureThreshold: 1 },
    volumeMounts: [
      // A folder rather than a file: files that are mounted by themselves never change.
      { name: 'configuration', mountPath: CONFIGURATION_DIRECTORY, readOnly: true },
      ...(image === undefined ? [{ name: 'program', mountPath: PROGRAM_DIRECTORY, readOnly: true }] : []),
    ],
  });
}

/**
 * Node gives memory back late: after the same work, with a small young generation, it holds less than half (31 instead of 64 MiB). Each
 * thread that collects garbage beside it has memory of its own, and one is enough.
 */
function memoryOptions(memoryLimit: string): string[] {
  const heap = Math.floor(parseQuantity(memoryLimit, 'memory limit') / 2 ** 21);
  return ['--max-semi-space-size=1', `--max-old-space-size=${heap}`, '--v8-pool-size=1'];
}

function metricsAnnotations({ options }: ReconcilerSettings): Record<string, string> {
  if (!options.metrics?._annotations) return {};
  return scrapeAnnotations({ port: METRICS_PORT, path: '/metrics', scheme: 'http' });
}
