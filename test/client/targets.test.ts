import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ApiObject, Chart, Include, JsonPatch, Size } from 'cdk8s';
import * as kplus28 from 'cdk8s-plus-28';
import * as kplus32 from 'cdk8s-plus-32';
import * as kplus33 from 'cdk8s-plus-33';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { AuthzClientAffinity } from '../../lib';
import { opaAgent, opaTerm, preferredTerms } from '../support/clients';
import { synthesise, testChart } from '../support/synth';

/** Where a built-in kind has its pod's spec. */
const POD_SPEC: Record<string, (object: any) => any> = {
  Pod: ({ spec }) => spec,
  CronJob: ({ spec }) => spec.jobTemplate.spec.template.spec,
};
const podSpec = (object: any) => (POD_SPEC[object.kind] ?? (({ spec }: any) => spec.template.spec))(object);

const affinity = {
  nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }] },
  podAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } } }],
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'region', labelSelector: { matchLabels: { app: 'db' } } }],
  },
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 9, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } } }],
  },
};
const spec = {
  affinity,
  containers: [{
    name: 'web',
    image: 'web:1',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { requests: { cpu: '50m' }, limits: { memory: '1Gi' } },
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
  }],
};
const template = { metadata: { labels: { app: 'web' } }, spec };
const selector = { matchLabels: { app: 'web' } };
const job = { template: { ...template, spec: { ...spec, restartPolicy: 'Never' } } };

/** Every built-in kind, in wire form, with an affinity of the user's. */
const MANIFESTS: any[] = [
  { apiVersion: 'v1', kind: 'Pod', spec },
  { apiVersion: 'v1', kind: 'ReplicationController', spec: { selector: { app: 'web' }, template } },
  { apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector, template } },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', spec: { selector, serviceName: 'web', template } },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector, template } },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: { selector, template } },
  { apiVersion: 'batch/v1', kind: 'Job', spec: job },
  { apiVersion: 'batch/v1', kind: 'CronJob', spec: { schedule: '* * * * *', jobTemplate: { spec: job } } },
].map((manifest) => ({ ...manifest, metadata: { name: 'web' } }));

/** A construct of a client, and what becomes of it at synth with and without us. */
type Make = (chart: Chart) => Construct;

function include(manifests: any[]): Make {
  return (chart) => {
    const directory = mkdtempSync(join(tmpdir(), 'include-'));
    try {
      writeFileSync(join(directory, 'app.yaml'), manifests.map((manifest) => stringify(manifest)).join('---\n'));
      return new Include(chart, 'Web', { url: join(directory, 'app.yaml') });
    } finally {
      rmSync(directory, { recursive: true });
    }
  };
}

/** The workloads of cdk8s-plus, of whatever version: TypeScript keeps them apart, at run time they have one shape. */
function plus(kplus: typeof kplus28, kind: 'Pod' | 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'CronJob'): Make {
  return (chart) => {
    const container = { image: 'web:1', portNumber: 8080, resources: { memory: { limit: Size.mebibytes(64) } } };
    const database = new kplus.Pod(chart, 'Database', { containers: [container] });
    const props = { containers: [container], podMetadata: { labels: { app: 'web' } } };
    const workload = kind === 'StatefulSet'
      ? new kplus.StatefulSet(chart, 'Web', { ...props, service: new kplus.Service(chart, 'Service', { ports: [{ port: 80 }] }) })
      : kind === 'CronJob'
        ? new kplus.CronJob(chart, 'Web', { ...props, schedule: { _toKube: () => '* * * * *', expressionString: '* * * * *' } as any })
        : new kplus[kind](chart, 'Web', props);
    workload.scheduling.colocate(database, { weight: 7 });
    workload.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.exists('disk')), { weight: 1 });
    return workload;
  };
}

/** As generated classes want it: their quantities are objects, and they know no `sleep`. */
const typed = { ...template, spec: { affinity, containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: kplus28.k8s.Quantity.fromString('50m') } } }] } };
const generated: Record<string, Make> = {
  KubeDeployment: (chart) => new kplus28.k8s.KubeDeployment(chart, 'Web', { spec: { selector, template: typed } }),
  KubeStatefulSet: (chart) => new kplus28.k8s.KubeStatefulSet(chart, 'Web', { spec: { selector, serviceName: 'web', template: typed } }),
  KubeCronJob: (chart) => new kplus28.k8s.KubeCronJob(chart, 'Web', {
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { ...typed, spec: { ...typed.spec, restartPolicy: 'Never' } } } } },
  }),
};

const FORMS: [string, Make][] = [
  ...MANIFESTS.map((manifest): [string, Make] => [`a raw ${manifest.kind}`, (chart) => new ApiObject(chart, 'Web', manifest)]),
  ...MANIFESTS.filter(({ kind }) => ['Deployment', 'CronJob'].includes(kind)).map((manifest): [string, Make] => [`an included ${manifest.kind}`, include([manifest])]),
  ...Object.entries(generated).map(([name, make]): [string, Make] => [`a generated ${name}`, make]),
  ...([[28, kplus28], [32, kplus32], [33, kplus33]] as const).flatMap(([version, kplus]) =>
    (['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'] as const).map((kind): [string, Make] =>
      [`a ${kind} of cdk8s-plus-${version}`, plus(kplus as unknown as typeof kplus28, kind)])),
];

/** The client as it would be without us, and as it is. */
function beforeAndAfter(make: Make, bind: (chart: Chart, client: Construct) => void): any[] {
  return [() => undefined, bind].map((change) => {
    const chart = testChart();
    const client = make(chart);
    change(chart, client);
    const known = client.node.findAll().find((construct) => ApiObject.isApiObject(construct)) as ApiObject;
    return synthesise(chart).find(({ kind, metadata }) => kind === known.kind && metadata.name === known.name);
  });
}

describe.each(FORMS)('%s', (_, make) => {
  let before: any;
  let after: any;
  beforeEach(() => {
    [before, after] = beforeAndAfter(make, (chart, client) => opaAgent(chart).addClient(client));
  });

  test('has the term once, after those of the user', () => {
    const own = preferredTerms(podSpec(before));
    expect(own).toHaveLength(1);
    expect(preferredTerms(podSpec(after))).toEqual([...own, opaTerm()]);
  });

  test('loses nothing, and gets no more than the address', () => {
    const pod = podSpec(after);
    pod.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.pop();
    for (const container of pod.containers) {
      expect(container.env.shift()).toEqual({ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' });
      if (container.env.length === 0) delete container.env;
    }
    expect(after).toEqual(before);
  });

  test('is the same, found by its label', () => {
    const labelled: Make = (chart) => {
      const client = make(chart);
      for (const construct of client.node.findAll()) {
        if (ApiObject.isApiObject(construct)) construct.metadata.addLabel('cdk8s-platform-services/policy-agent', 'opa');
      }
      return client;
    };
    const [without, found] = beforeAndAfter(labelled, (chart) => new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) }));
    expect(preferredTerms(podSpec(found))).toEqual([...preferredTerms(podSpec(without)), opaTerm()]);
    podSpec(found).affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.pop();
    expect(found).toEqual(without);
  });
});

test('items of a List are clients, each in its own namespace', () => {
  const chart = testChart();
  const items = [...MANIFESTS.map((manifest) => ({ ...manifest, metadata: { name: 'web', namespace: 'authz' } })), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }];
  const elsewhere = { ...MANIFESTS[2], metadata: { name: 'web', namespace: 'other' } };
  const list = new ApiObject(chart, 'List', { apiVersion: 'v1', kind: 'List', items: [...items, elsewhere] });
  opaAgent(chart).addClient(list);
  chart.node.root.node.validate();
  (chart.node.root as any).synthYaml();
  const result = list.toJson().items;
  for (const item of result.slice(0, MANIFESTS.length)) {
    expect(preferredTerms(podSpec(item)).filter((term) => term.weight === 50)).toEqual([opaTerm()]);
  }
  expect(result[MANIFESTS.length]).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
  expect(preferredTerms(podSpec(result.at(-1))).at(-1)).toEqual(opaTerm('authz'));
});

test('a chart with other objects beside its workloads is a client by its workloads', () => {
  const [, after] = beforeAndAfter(
    include([MANIFESTS[2], { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } }]), (chart, client) => opaAgent(chart).addClient(client),
  );
  expect(preferredTerms(after.spec.template.spec)).toHaveLength(2);
});

test('workloads of three versions of cdk8s-plus stand in one app', () => {
  const chart = testChart();
  const agent = opaAgent(chart);
  const clients = [
    new kplus28.Deployment(chart, 'Web28', { containers: [{ image: 'web:1' }] }),
    new kplus32.Deployment(chart, 'Web32', { containers: [{ image: 'web:1' }] }),
    new kplus33.Deployment(chart, 'Web33', { containers: [{ image: 'web:1' }], spread: true }),
  ];
  clients.forEach((client) => agent.addClient(client));
  const objects = synthesise(chart);
  for (const client of clients) {
    expect(preferredTerms(objects.find(({ metadata }) => metadata.name === client.name).spec.template.spec)).toEqual([opaTerm()]);
  }
});

test('a patch of a generated class that its types do not know is as lost as without us, and not more', () => {
  const [before, after] = beforeAndAfter((chart) => {
    const client = new kplus28.k8s.KubeDeployment(chart, 'Web', { spec: { selector, template: typed } });
    client.addJsonPatch(JsonPatch.add('/spec/template/spec/hostPID', true), JsonPatch.add('/spec/paused', true));
    return client;
  }, (chart, client) => opaAgent(chart).addClient(client));
  expect(after.spec.paused).toBe(true);
  expect(Object.keys(after.spec.template.spec)).toEqual(Object.keys(before.spec.template.spec));
});
