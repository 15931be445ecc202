/** Stands for a metrics server: a custom resource whose objects are its answers. */
export const METRICS_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { kind: 'PodMetrics', plural: 'pods', singular: 'podmetrics' },
    versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
};

/** What it answers of a pod. */
export function metricsOf({ metadata: { name, namespace, labels }, spec: { containers } }: any): any {
  return {
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { name, namespace, labels },
    // Readings from before a pod was ready are not looked at.
    timestamp: new Date(Date.now() + 120_000).toISOString(),
    window: '30s',
    containers: containers.map((container: any) => ({ name: container.name, usage: { cpu: '90m', memory: '16Mi' } })),
  };
}
