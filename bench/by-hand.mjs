import { ApiObject, NAMESPACE, POLICY } from './agents.mjs';

// The same objects as `agents.mjs` asks the library for, as someone would write them who has no library: literals, and a
// function for what repeats. No value comes from the library but the checksum, a SHA-256 of the configuration.

function selectorLabels(engine, name) {
  return {
    'app.kubernetes.io/name': engine,
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': 'server',
  };
}

function objectLabels(engine, name) {
  return { ...selectorLabels(engine, name), 'app.kubernetes.io/managed-by': 'cdk8s' };
}

function groupLabels(engine, name, kind) {
  return {
    ...selectorLabels(engine, name),
    'app.kubernetes.io/role-group': 'default',
    'cdk8s-platform-services/workload-kind': kind,
  };
}

function nodeVariables() {
  return [
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
  ];
}

function podSecurityContext(user) {
  return {
    runAsUser: user,
    runAsGroup: user,
    runAsNonRoot: true,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

function containerSecurityContext() {
  return {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
}

/** What the library makes of `addOpa`. */
export function addOpaByHand(chart, name, checksum) {
  new ApiObject(chart, `${name}-config`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-config`, labels: objectLabels('opa', name) },
    data: {
      'opa.json': `${JSON.stringify({
        labels: { instance: name, node: '${NODE_NAME}', pod: '${POD_NAME}' },
        services: { authz: { url: 'https://bundles.example.com' } },
        bundles: { authz: { service: 'authz', resource: 'authz.tar.gz' } },
        status: { prometheus: true },
      }, undefined, 2)}\n`,
      'authorization.rego': `# Health, metrics and the decisions named below; nothing that reads or changes policies or data.
package system.authz

default allow := false

allow if {
	input.method == "GET"
	input.path in {["health"], ["metrics"]}
}

# Traces would show the data behind a decision.
allow if {
	input.method in {"GET", "POST"}
	input.path[0] in {"v0", "v1"}
	input.path[1] == "data"
	array.slice(input.path, 2, count(input.path)) in decisions
	not input.params.explain
}

decisions := {
	["authz","allow"],
}
`,
    },
  });

  new ApiObject(chart, `${name}-workload`, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: `${name}-default`, labels: { ...objectLabels('opa', name), 'app.kubernetes.io/role-group': 'default' } },
    spec: {
      selector: { matchLabels: groupLabels('opa', name, 'DaemonSet') },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: groupLabels('opa', name, 'DaemonSet'),
          annotations: {
            'cdk8s-platform-services/configuration-checksum': checksum,
            'prometheus.io/scrape': 'true',
            'prometheus.io/port': '8282',
            'prometheus.io/path': '/metrics',
            'prometheus.io/scheme': 'http',
          },
        },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurityContext(1000),
          terminationGracePeriodSeconds: 20,
          containers: [{
            name: 'opa',
            image: 'openpolicyagent/opa:1.22.4-static',
            imagePullPolicy: 'IfNotPresent',
            command: ['/opa'],
            args: [
              'run',
              '--server',
              '--addr=:8181',
              '--diagnostic-addr=http://:8282',
              '--config-file=/config/opa.json',
              '--authorization=basic',
              '--shutdown-wait-period=5',
              '--shutdown-grace-period=10',
              '--skip-version-check',
              '--log-format=json',
              '--log-level=info',
              '--ignore=.*',
              '/config/authorization.rego',
            ],
            env: [...nodeVariables(), { name: 'GOMEMLIMIT', value: '456340275' }],
            ports: [
              { name: 'http', containerPort: 8181, protocol: 'TCP' },
              { name: 'diagnostics', containerPort: 8282, protocol: 'TCP' },
            ],
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
            startupProbe: { httpGet: { path: '/health', port: 'diagnostics' }, timeoutSeconds: 3, periodSeconds: 2, failureThreshold: 60 },
            livenessProbe: { httpGet: { path: '/health', port: 'diagnostics' }, timeoutSeconds: 3, periodSeconds: 10 },
            readinessProbe: { httpGet: { path: '/health?bundles', port: 'diagnostics' }, timeoutSeconds: 3, periodSeconds: 5 },
            securityContext: containerSecurityContext(),
            volumeMounts: [{ name: 'config', mountPath: '/config', readOnly: true }],
          }],
          volumes: [{ name: 'config', configMap: { name: `${name}-config` } }],
        },
      },
    },
  });

  new ApiObject(chart, `${name}-service`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: objectLabels('opa', name) },
    spec: {
      type: 'ClusterIP',
      ports: [{ name: 'http', port: 8181, protocol: 'TCP', targetPort: 'http', appProtocol: 'http' }],
      internalTrafficPolicy: 'Local',
      selector: selectorLabels('opa', name),
    },
  });

  new ApiObject(chart, `${name}-discovery`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: objectLabels('opa', name) },
    data: { OPA: `http://${name}.${NAMESPACE}.svc:8181/` },
  });
}

/** What the library makes of `addCerbos`. */
export function addCerbosByHand(chart, name, checksum) {
  new ApiObject(chart, `${name}-config`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-config`, labels: objectLabels('cerbos', name) },
    data: {
      '.cerbos.yaml': `${JSON.stringify({
        server: { httpListenAddr: ':3592', grpcListenAddr: ':3593', apiExplorerEnabled: false, adminAPI: { enabled: false } },
        storage: { driver: 'disk', disk: { directory: '/policies', watchForChanges: false } },
        schema: { enforcement: 'none' },
        telemetry: { disabled: true },
      }, undefined, 2)}\n`,
    },
  });

  new ApiObject(chart, `${name}-policies`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-policies`, labels: objectLabels('cerbos', name) },
    data: { 'document.yaml': POLICY },
  });

  new ApiObject(chart, `${name}-workload`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${name}-default`, labels: { ...objectLabels('cerbos', name), 'app.kubernetes.io/role-group': 'default' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: groupLabels('cerbos', name, 'Deployment') },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: groupLabels('cerbos', name, 'Deployment'),
          annotations: {
            'cdk8s-platform-services/configuration-checksum': checksum,
            'prometheus.io/scrape': 'true',
            'prometheus.io/port': '3592',
            'prometheus.io/path': '/_cerbos/metrics',
            'prometheus.io/scheme': 'http',
          },
        },
        spec: {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{
                weight: 70,
                podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selectorLabels('cerbos', name) } },
              }],
            },
          },
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurityContext(65532),
          terminationGracePeriodSeconds: 40,
          containers: [{
            name: 'cerbos',
            image: 'ghcr.io/cerbos/cerbos:0.55.0',
            imagePullPolicy: 'IfNotPresent',
            command: ['/cerbos'],
            args: ['server', '--config=/config/.cerbos.yaml', '--log-level=info'],
            env: nodeVariables(),
            ports: [
              { name: 'http', containerPort: 3592, protocol: 'TCP' },
              { name: 'grpc', containerPort: 3593, protocol: 'TCP' },
            ],
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
            startupProbe: { httpGet: { path: '/_cerbos/health', port: 'http' }, timeoutSeconds: 3, periodSeconds: 2, failureThreshold: 90 },
            livenessProbe: { httpGet: { path: '/_cerbos/health', port: 'http' }, timeoutSeconds: 3, periodSeconds: 10 },
            readinessProbe: { httpGet: { path: '/_cerbos/health', port: 'http' }, timeoutSeconds: 3, periodSeconds: 5 },
            lifecycle: { preStop: { sleep: { seconds: 5 } } },
            securityContext: containerSecurityContext(),
            volumeMounts: [
              { name: 'config', mountPath: '/config', readOnly: true },
              { name: 'policies', mountPath: '/policies', readOnly: true },
            ],
          }],
          volumes: [
            { name: 'config', configMap: { name: `${name}-config` } },
            {
              name: 'policies',
              projected: { sources: [{ configMap: { name: `${name}-policies`, items: [{ key: 'document.yaml', path: 'document.yaml' }] } }] },
            },
          ],
        },
      },
    },
  });

  new ApiObject(chart, `${name}-budget`, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels: objectLabels('cerbos', name) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { ...selectorLabels('cerbos', name), 'cdk8s-platform-services/workload-kind': 'Deployment' } },
    },
  });

  new ApiObject(chart, `${name}-service`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: objectLabels('cerbos', name) },
    spec: {
      type: 'ClusterIP',
      ports: [
        { name: 'http', port: 3592, protocol: 'TCP', targetPort: 'http', appProtocol: 'http' },
        { name: 'grpc', port: 3593, protocol: 'TCP', targetPort: 'grpc', appProtocol: 'grpc' },
      ],
      selector: selectorLabels('cerbos', name),
    },
  });

  new ApiObject(chart, `${name}-discovery`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: objectLabels('cerbos', name) },
    data: {
      CERBOS_HTTP: `http://${name}.${NAMESPACE}.svc:3592`,
      CERBOS_GRPC: `${name}.${NAMESPACE}.svc:3593`,
    },
  });
}
