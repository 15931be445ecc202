import { crdsAvailable } from './crds';
import { reportSkipped } from './skipped-kinds';
import { expectStrict, NO_CRDS, schemaFor, strictErrors } from './strict-schema';

const testWithCrds = crdsAvailable() ? test : test.skip;

const labels = { 'app.kubernetes.io/name': 'opa' };
const metadata = { name: 'opa', namespace: 'authz', labels };
const selector = { matchLabels: labels };

const container = {
  name: 'opa',
  image: 'openpolicyagent/opa:1.9.0',
  imagePullPolicy: 'IfNotPresent',
  ports: [{ name: 'http', containerPort: 8181 }],
  resources: { requests: { cpu: '100m', memory: '128Mi' } },
  readinessProbe: { httpGet: { path: '/health', port: 'http' } },
  livenessProbe: { httpGet: { path: '/health', port: 8181 } },
  lifecycle: { preStop: { sleep: { seconds: 5 } } },
  volumeMounts: [{ name: 'policies', mountPath: '/policies' }],
};

const template = {
  metadata: { labels },
  spec: {
    containers: [container],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', matchLabelKeys: ['pod-template-hash'] }],
    volumes: [{ name: 'policies', image: { reference: 'ghcr.io/example/policies:1', pullPolicy: 'Always' } }],
  },
};

const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata,
  spec: { selector, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '0%' } } },
};

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2, selector, template } };

const certificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata,
  spec: { secretName: 'opa-tls', dnsNames: ['opa.authz.svc'], duration: '2160h', issuerRef: { name: 'ca', kind: 'Issuer' }, usages: ['server auth'] },
};

const podMonitor = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata,
  spec: { selector, podMetricsEndpoints: [{ port: 'http', path: '/metrics', interval: '30s' }] },
};

const cache = {
  apiVersion: 'infinispan.org/v2alpha1',
  kind: 'Cache',
  metadata,
  spec: { clusterName: 'sessions', name: 'sessions', template: 'distributedCache: {}', updates: { strategy: 'retain' } },
};

/** A deployment whose container has further fields. */
function withContainer(fields: object) {
  const spec = { ...template.spec, containers: [{ ...container, ...fields }] };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec } } };
}

describe('Kubernetes’ own types', () => {
  test.each([
    daemonSet,
    deployment,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        selector: labels,
        internalTrafficPolicy: 'Local',
        trafficDistribution: 'PreferSameNode',
        ports: [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'http' }],
      },
    },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { selector, maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'opa' },
        minReplicas: 2,
        maxReplicas: 5,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: { podSelector: selector, policyTypes: ['Ingress'], ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 8181, protocol: 'TCP' }] }] },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'authz.rego': 'package authz' } },
    { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '1G' }, scopes: ['PriorityClass'] } },
  ])('accepts a correct $kind', (object) => {
    expect(strictErrors(object)).toEqual([]);
  });

  test.each([
    ['an unknown field', { ...deployment, spec: { ...deployment.spec, selecto: selector } }, 'Deployment/opa: spec.selecto is not a known field'],
    ['an unknown field of metadata', { ...deployment, metadata: { ...metadata, label: {} } }, 'Deployment/opa: metadata.label is not a known field'],
    ['an unknown field deep inside', withContainer({ imgPullPolicy: 'Always' }),
      'Deployment/opa: spec.template.spec.containers[0].imgPullPolicy is not a known field'],
    ['a wrong type', { ...deployment, spec: { ...deployment.spec, replicas: '2' } }, 'Deployment/opa: spec.replicas must be integer, given "2"'],
    ['a wrong type in an array', withContainer({ args: [8181] }), 'Deployment/opa: spec.template.spec.containers[0].args[0] must be string, given 8181'],
    ['a wrong type in a map', { ...deployment, metadata: { ...metadata, labels: { 'example.com/on': true } } },
      'Deployment/opa: metadata.labels["example.com/on"] must be string, given true'],
    ['a number out of range', withContainer({ ports: [{ containerPort: 2 ** 31 }] }),
      'Deployment/opa: spec.template.spec.containers[0].ports[0].containerPort must match format "int32", given 2147483648'],
    ['null', { ...deployment, spec: { ...deployment.spec, replicas: null } }, 'Deployment/opa: spec.replicas must be integer, given null'],
    ['a missing field', { ...deployment, spec: { template } }, 'Deployment/opa: spec.selector is missing'],
    ['a missing name', { ...deployment, metadata: {} }, 'Deployment/undefined: metadata.name is missing'],
    ['data that is not base64', { apiVersion: 'v1', kind: 'Secret', metadata, data: { token: 'plain' } },
      'Secret/opa: data.token must match format "byte", given "plain"'],
    ['an unknown kind', { ...deployment, kind: 'Deploymint' }, 'Deploymint/opa: no schema for apps/v1 Deploymint'],
    ['a known kind in another group', { ...deployment, apiVersion: 'v1' }, 'Deployment/opa: no schema for v1 Deployment'],
    ['a version that is gone', { ...deployment, apiVersion: 'apps/v1beta1' }, 'Deployment/opa: no schema for apps/v1beta1 Deployment'],
    ['what is no object', undefined, 'undefined/undefined: no schema for undefined undefined'],
  ])('fails %s', (_, object, error) => {
    expect(strictErrors(object)).toEqual([error]);
  });

  test('names every error of an object', () => {
    expect(strictErrors({ ...withContainer({ imgPullPolicy: 'Always' }), statu: {} })).toHaveLength(2);
  });
});

describe('custom resources', () => {
  testWithCrds.each([certificate, podMonitor, cache])('accepts a correct $kind', (object) => {
    expect(strictErrors(object)).toEqual([]);
  });

  testWithCrds.each([
    ['a Certificate with an unknown field', { ...certificate, spec: { ...certificate.spec, dnsName: 'opa' } },
      'Certificate/opa: spec.dnsName is not a known field'],
    ['a Certificate without issuer', { ...certificate, spec: { secretName: 'opa-tls' } }, 'Certificate/opa: spec.issuerRef is missing'],
    ['a Certificate with an unknown field of metadata', { ...certificate, metadata: { ...metadata, label: {} } },
      'Certificate/opa: metadata.label is not a known field'],
    ['a Certificate of a version that is not served', { ...certificate, apiVersion: 'cert-manager.io/v1alpha2' },
      'Certificate/opa: no schema for cert-manager.io/v1alpha2 Certificate'],
    ['a PodMonitor with an unknown field', { ...podMonitor, spec: { selector, podMetricsEndpoints: [{ prt: 'http' }] } },
      'PodMonitor/opa: spec.podMetricsEndpoints[0].prt is not a known field'],
    ['a PodMonitor with a malformed interval', { ...podMonitor, spec: { selector, podMetricsEndpoints: [{ interval: 'often' }] } },
      expect.stringMatching(/^PodMonitor\/opa: spec\.podMetricsEndpoints\[0\]\.interval must match pattern .*, given "often"$/)],
    ['a Cache with an unknown field', { ...cache, spec: { ...cache.spec, cluster: 'sessions' } }, 'Cache/opa: spec.cluster is not a known field'],
    ['a Cache without a cluster', { ...cache, spec: { name: 'sessions' } }, 'Cache/opa: spec.clusterName is missing'],
    ['a Cache with an unknown strategy', { ...cache, spec: { ...cache.spec, updates: { strategy: 'hope' } } },
      'Cache/opa: spec.updates.strategy must be one of recreate, retain, given "hope"'],
    ['a kind of which there is no CRD', { apiVersion: 'example.com/v1', kind: 'Gadget', metadata }, 'Gadget/opa: no schema for example.com/v1 Gadget'],
  ])('fails %s', (_, object, error) => {
    expect(strictErrors(object)).toEqual([error]);
  });
});

describe('without CRDs', () => {
  // Kinds that no other test has, since a worker reports each only once.
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
  const { CRDS_DIR } = process.env;

  beforeEach(() => {
    // What the tests above skipped does not belong to these.
    reportSkipped();
    process.env.CRDS_DIR = '/nowhere';
  });

  afterEach(() => {
    if (CRDS_DIR === undefined) delete process.env.CRDS_DIR;
    else process.env.CRDS_DIR = CRDS_DIR;
  });

  test('tells that a custom resource cannot be checked', () => {
    expect(schemaFor(certificate)).toBe(NO_CRDS);
    expect(schemaFor(deployment)).toBeInstanceOf(Function);
  });

  test('names what was skipped, once', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();

    expectStrict([widget, gadget, deployment, widget]);
    reportSkipped();
    expectStrict([gadget]);
    reportSkipped();

    expect(warn.mock.calls).toEqual([['skipped strict schema checks (no CRDs): Gadget.example.com, Widget.example.com']]);
    warn.mockRestore();
  });

  test('still fails what is wrong with Kubernetes’ own types', () => {
    expect(() => expectStrict([widget, { ...deployment, spec: { template } }])).toThrow('Deployment/opa: spec.selector is missing');
    expect(strictErrors({ ...deployment, kind: 'Deploymint' })).toHaveLength(1);
  });
});
