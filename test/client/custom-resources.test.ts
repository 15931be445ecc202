import { ApiObject } from 'cdk8s';
import { AuthzClientAffinity, ClientAddress, PolicyClientOptions } from '../../lib';
import { listed, opaAgent, opaTerm, synthesised, twoCharts } from '../support/clients';
import { CUSTOM_RESOURCES } from '../support/custom-resources';
import { synthesise, testChart } from '../support/synth';

const STACKABLE = { image: { productVersion: '1' } };
const authorization = { opa: { configMapName: 'opa' } };
const groups = { roleGroups: { default: { replicas: 1 } } };

function trino(more: any = {}, metadata: any = {}): any {
  return {
    apiVersion: 'trino.stackable.tech/v1alpha1',
    kind: 'TrinoCluster',
    metadata: { name: 'trino', ...metadata },
    spec: {
      ...STACKABLE, clusterConfig: { authorization, catalogLabelSelector: { matchLabels: { trino: 'a' } } }, coordinators: groups, workers: groups, ...more,
    },
  };
}

function catalog(name: string, connector: any, labels: any = { trino: 'a' }, namespace?: string): any {
  return { apiVersion: 'trino.stackable.tech/v1alpha1', kind: 'TrinoCatalog', metadata: { name, labels, ...(namespace && { namespace }) }, spec: { connector } };
}

/** What becomes of a resource that is named a client, its schema checked. */
function bound(manifest: any, options?: PolicyClientOptions, others: any[] = []): { json: any; warnings: string[] } {
  const chart = testChart();
  const agent = opaAgent(chart);
  const client = new ApiObject(chart, 'Client', manifest);
  others.forEach((other, index) => new ApiObject(chart, `Other${index}`, other));
  agent.addClient(client, options);
  synthesise(chart);
  return { json: client.toJson(), warnings: listed(agent, 'warning').map((text) => text.replace(/^client test\/Client \(\w+\/[-\w]+\): /, '')) };
}

const preferred = (affinity: any) => affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
const productTerm = (weight: number, name: string, instance: string, component?: string) => ({
  weight,
  podAffinityTerm: {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: {
      matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': instance, ...(component && { 'app.kubernetes.io/component': component }) },
    },
  },
});

describe('every kind', () => {
  const times = (object: any) => JSON.stringify(object).split(JSON.stringify(sortedTerm)).length - 1;
  const sortedTerm = {
    podAffinityTerm: {
      labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'server', 'app.kubernetes.io/instance': 'opa', 'app.kubernetes.io/name': 'opa' } },
      topologyKey: 'kubernetes.io/hostname',
    },
    weight: 50,
  };
  /** Kinds with more than one role that asks. */
  const several: Record<string, number> = { HbaseCluster: 2, DruidCluster: 5, SparkApplication: 2 };

  test.each(CUSTOM_RESOURCES.map((manifest) => [`${manifest.kind}.${manifest.apiVersion}`, manifest]))('%s has the term once in each role that asks', (_, manifest) => {
    const chart = testChart();
    const agent = opaAgent(chart);
    const client = new ApiObject(chart, 'Client', manifest);
    agent.addClient(client);
    agent.addClient(chart.node.tryFindChild('Client')!);
    new AuthzClientAffinity(chart, 'NearOpa', { agent });
    synthesise(chart);
    expect(times(client.toJson())).toBe(several[manifest.kind] ?? 1);
  });
});

describe('a TrinoCluster', () => {
  test('gets the term in the role that asks, and in no other', () => {
    const { json } = bound(trino());
    expect(preferred(json.spec.coordinators.config.affinity)).toEqual([productTerm(20, 'trino', 'trino'), opaTerm()]);
    expect(json.spec.coordinators.roleGroups).toEqual(groups.roleGroups);
    expect(json.spec.workers).toEqual(groups);
  });

  test('keeps what its operator would have added for the catalogs of the app that it selects', () => {
    const { json, warnings } = bound(trino(), undefined, [
      catalog('lake', { hive: { metastore: { configMap: 'hive-a' }, hdfs: { configMap: 'hdfs-a' } } }),
      catalog('ice', { iceberg: { metastore: { configMap: 'hive-b' } } }),
      catalog('again', { deltaLake: { metastore: { configMap: 'hive-a' } } }),
      catalog('bench', { tpch: {} }),
      catalog('other', { hive: { metastore: { configMap: 'hive-c' } } }, { trino: 'b' }),
      catalog('elsewhere', { hive: { metastore: { configMap: 'hive-d' } } }, undefined, 'elsewhere'),
    ]);
    expect(preferred(json.spec.coordinators.config.affinity)).toEqual([
      productTerm(20, 'trino', 'trino'), productTerm(50, 'hive', 'hive-a', 'metastore'), productTerm(50, 'hive', 'hive-b', 'metastore'), opaTerm(),
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['In', { key: 'trino', operator: 'In', values: ['a', 'x'] }, true], ['NotIn', { key: 'trino', operator: 'NotIn', values: ['a'] }, false],
    ['Exists', { key: 'trino', operator: 'Exists' }, true], ['DoesNotExist', { key: 'trino', operator: 'DoesNotExist' }, false],
  ])('selects catalogs by %s', (_, expression, selected) => {
    const clusterConfig = { authorization, catalogLabelSelector: { matchExpressions: [expression] } };
    const { json } = bound(trino({ clusterConfig }), undefined, [catalog('lake', { hive: { metastore: { configMap: 'hive-a' } } })]);
    expect(preferred(json.spec.coordinators.config.affinity)).toHaveLength(selected ? 3 : 2);
  });

  test('without its catalogs in the app a warning says what is lost', () => {
    expect(bound(trino()).warnings).toEqual([expect.stringMatching(/^role coordinators loses .*holds no TrinoCatalog that it selects.*extraTerms/)]);
    // Terms of the user's are the operator's no more.
    const own = { coordinators: { ...groups, config: { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } } } };
    const { json, warnings } = bound(trino(own));
    expect(preferred(json.spec.coordinators.config.affinity)).toEqual([opaTerm()]);
    expect(warnings).toEqual([]);
  });

  test('gets the term wherever the user has overruled the role', () => {
    const list = { preferredDuringSchedulingIgnoredDuringExecution: [productTerm(9, 'own', 'own')] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [] };
    const { json } = bound(trino({
      coordinators: {
        podOverrides: { spec: { affinity: { podAffinity: list } } },
        roleGroups: {
          own: { config: { affinity: { podAffinity: required } } },
          overridden: { podOverrides: { spec: { affinity: { podAffinity: list } } } },
          other: { config: { affinity: { nodeAffinity: {} } }, podOverrides: { spec: { affinity: { podAffinity: required } } } },
        },
      },
    }));
    const { coordinators } = json.spec;
    expect(preferred(coordinators.podOverrides.spec.affinity)).toEqual([productTerm(9, 'own', 'own'), opaTerm()]);
    expect(preferred(coordinators.roleGroups.own.config.affinity)).toEqual([opaTerm()]);
    expect(preferred(coordinators.roleGroups.overridden.podOverrides.spec.affinity)).toEqual([productTerm(9, 'own', 'own'), opaTerm()]);
    expect(coordinators.roleGroups.other).toEqual({
      config: { affinity: { nodeAffinity: {} } }, podOverrides: { spec: { affinity: { podAffinity: required } } },
    });
  });

  test('may be told which roles ask', () => {
    const { json } = bound(trino(), { roles: ['workers'] });
    expect(json.spec.coordinators).toEqual(groups);
    expect(preferred(json.spec.workers.config.affinity)).toEqual([productTerm(20, 'trino', 'trino'), opaTerm()]);
    expect(() => bound(trino(), { roles: ['brokers'] })).toThrow('there is no role brokers; TrinoCluster has coordinators, workers');
  });

  test('is found by its reference, and only by one to this agent', () => {
    const chart = testChart();
    const near = new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) });
    const found = new ApiObject(chart, 'Found', trino());
    const other = new ApiObject(chart, 'Other', trino({ clusterConfig: { authorization: { opa: { configMapName: 'opa2' } }, catalogLabelSelector: {} } }, { name: 'other' }));
    expect(preferred(synthesised(found).spec.coordinators.config.affinity)).toHaveLength(2);
    expect(other.toJson().spec.coordinators).toEqual(groups);
    expect(listed(near, 'client')).toEqual(['test/Found (TrinoCluster/trino): spec.clusterConfig.authorization.opa.configMapName: opa']);
  });

  test('in another namespace gets a copy of the discovery ConfigMap there', () => {
    const { agents, clients } = twoCharts('data');
    const agent = opaAgent(agents);
    const client = new ApiObject(clients, 'Trino', trino());
    agent.addClient(client);
    agent.addClient(new ApiObject(clients, 'Second', trino({}, { name: 'second' })));
    const objects = synthesise(agents);
    expect(objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'opa').map(({ metadata, data }) => [metadata.namespace, data])).toEqual([
      ['authz', { OPA: 'http://opa.authz.svc:8181/' }], ['data', { OPA: 'http://opa.authz.svc:8181/' }],
    ]);
    expect(preferred(client.toJson().spec.coordinators.config.affinity).at(-1)).toEqual(opaTerm('authz'));
  });

  test('fails when it refers to another agent, and a reference that is missing is warned of', () => {
    expect(() => bound(trino({ clusterConfig: { authorization: { opa: { configMapName: 'x' } }, catalogLabelSelector: {} } })))
      .toThrow('spec.clusterConfig.authorization.opa.configMapName is x, but the discovery ConfigMap of the agent is called opa');
    expect(bound(trino({ clusterConfig: { catalogLabelSelector: {} } })).warnings)
      .toContain('it refers to no agent, so its pods ask none: set spec.clusterConfig.authorization.opa.configMapName to opa');
  });
});

describe('other products of Stackable', () => {
  const product = (name: string, kind: string, version: string, spec: any) => ({
    apiVersion: `${name}.stackable.tech/${version}`, kind, metadata: { name }, spec: { ...STACKABLE, ...spec },
  });

  test('HBase: the roles with a coprocessor, with their terms; none is made', () => {
    const clusterConfig = { authorization, hdfsConfigMapName: 'hdfs', zookeeperConfigMapName: 'zk' };
    const { json } = bound(product('hbase', 'HbaseCluster', 'v1alpha1', { clusterConfig, masters: groups, regionServers: groups }));
    expect(preferred(json.spec.masters.config.affinity)).toEqual([productTerm(20, 'hbase', 'hbase'), opaTerm()]);
    expect(preferred(json.spec.regionServers.config.affinity)).toEqual([productTerm(20, 'hbase', 'hbase'), productTerm(50, 'hdfs', 'hdfs', 'datanode'), opaTerm()]);
    expect(json.spec).not.toHaveProperty('restServers');
  });

  test('Superset: its own setting', () => {
    const { json, warnings } = bound(product('superset', 'SupersetCluster', 'v1alpha1', {
      clusterConfig: { authorization: { roleMappingFromOpa: { configMapName: 'opa' } }, credentialsSecret: 's', metadataDatabase: { generic: { connectionUrlSecretName: 'db' } } }, nodes: groups,
    }));
    expect(preferred(json.spec.nodes.config.affinity)).toEqual([opaTerm()]);
    expect(warnings).toEqual([]);
  });

  test('an OpaCluster asks nobody', () => {
    expect(() => bound(product('opa', 'OpaCluster', 'v1alpha2', { servers: groups }))).toThrow(/holds nothing whose pods could ask the agent, but opa\.stackable\.tech\/v1alpha2 OpaCluster/);
  });
});

describe('Kafka of Strimzi', () => {
  const kafka = (config: any, more: any = {}) => ({
    apiVersion: 'kafka.strimzi.io/v1',
    kind: 'Kafka',
    metadata: { name: 'kafka' },
    spec: { kafka: { listeners: [{ name: 'plain', port: 9092, type: 'internal', tls: false }], config, ...more }, entityOperator: {} },
  });

  test('gets the term for its brokers, keeping the affinity that they have', () => {
    const { json } = bound(kafka({}, { template: { pod: { tmpDirSizeLimit: '1Gi', affinity: { nodeAffinity: {} } } } }));
    expect(json.spec.kafka.template.pod).toEqual({
      tmpDirSizeLimit: '1Gi', affinity: { nodeAffinity: {}, podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [opaTerm()] } },
    });
    expect(json.spec.entityOperator).toEqual({});
  });

  test.each([
    ['http://opa:8181/v1/data/kafka/allow', true], ['http://opa.authz/v1', true], ['https://opa.authz.svc:8443', true], ['http://opa.authz.svc.cluster.local:8181/', true],
    ['http://opa.other.svc:8181/', false], ['http://opa2:8181/', false], ['http://opa.example.com/', false],
  ])('is found by the URL %s: %s', (url, found) => {
    const chart = testChart();
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(chart) });
    const client = new ApiObject(chart, 'Kafka', kafka({ 'opa.authorizer.url': url }));
    expect(preferred(synthesised(client).spec.kafka.template?.pod.affinity)).toEqual(found ? [opaTerm()] : undefined);
  });

  test('a pool is a client by its own template only, and only with brokers', () => {
    const pool = (spec: any) => ({
      apiVersion: 'kafka.strimzi.io/v1', kind: 'KafkaNodePool', metadata: { name: 'pool', labels: { 'strimzi.io/cluster': 'kafka' } }, spec: { replicas: 3, storage: { type: 'ephemeral' }, ...spec },
    });
    expect(preferred(bound(pool({ roles: ['broker'], template: { pod: {} } })).json.spec.template.pod.affinity)).toEqual([opaTerm()]);
    expect(() => bound(pool({ roles: ['broker'] }))).toThrow('holds nothing whose pods could ask');
    expect(() => bound(pool({ roles: ['controller'], template: { pod: {} } }))).toThrow('holds nothing whose pods could ask');
  });
});

describe('other custom resources', () => {
  test('Infinispan keeps its default and an older field', () => {
    const manifest = (spec: any) => ({ apiVersion: 'infinispan.org/v1', kind: 'Infinispan', metadata: { name: 'cache' }, spec: { replicas: 2, ...spec } });
    const options = { roles: ['server'], address: ClientAddress.NONE };
    const { podAntiAffinity, podAffinity } = bound(manifest({}), options).json.spec.scheduling.affinity;
    expect(podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([{
      weight: 100,
      podAffinityTerm: {
        topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'infinispan-pod', clusterName: 'cache', infinispan_cr: 'cache' } },
      },
    }]);
    expect(podAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([opaTerm()]);
    const older = bound(manifest({ affinity: { nodeAffinity: {} } }), options).json.spec;
    expect(older).not.toHaveProperty('scheduling');
    expect(preferred(older.affinity)).toEqual([opaTerm()]);
  });

  test('Keycloak: also where an unsupported template wins', () => {
    const manifest = (spec: any) => ({ apiVersion: 'k8s.keycloak.org/v2alpha1', kind: 'Keycloak', metadata: { name: 'sso' }, spec });
    expect(preferred(bound(manifest({ instances: 1 })).json.spec.scheduling.affinity)).toEqual([opaTerm()]);
    const { spec } = bound(manifest({ unsupported: { podTemplate: { spec: { containers: [], affinity: { nodeAffinity: {} } } } } })).json;
    expect(preferred(spec.unsupported.podTemplate.spec.affinity)).toEqual([opaTerm()]);
  });

  test('a Rollout of Argo is bound like a Deployment, and none without a template', () => {
    const pods = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const manifest = (spec: any) => ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web' }, spec });
    const { spec } = bound(manifest({ selector: { matchLabels: { app: 'web' } }, template: pods })).json.spec.template;
    expect(preferred(spec.affinity)).toEqual([opaTerm()]);
    expect(spec.containers[0].env).toEqual([{ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' }]);
    expect(() => bound(manifest({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } }))).toThrow('holds nothing whose pods could ask');
  });

  test('a Flink deployment gets the term in the common template only', () => {
    const manifest = { apiVersion: 'flink.apache.org/v1beta1', kind: 'FlinkDeployment', metadata: { name: 'f' }, spec: { jobManager: { replicas: 1 }, taskManager: { replicas: 1 } } };
    const { spec } = bound(manifest).json;
    expect(preferred(spec.podTemplate.spec.affinity)).toEqual([opaTerm()]);
    expect(spec.jobManager).toEqual({ replicas: 1 });
    expect(preferred(bound(manifest, { roles: ['taskManager'] }).json.spec.taskManager.podTemplate.spec.affinity)).toEqual([opaTerm()]);
  });

  test('one of two kinds with one name is told apart by its group', () => {
    const { json } = bound({
      apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', metadata: { name: 'web' }, spec: { selector: {}, template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
    });
    expect(preferred(json.spec.template.spec.affinity)).toEqual([opaTerm()]);
    expect(() => bound({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } })).toThrow('holds nothing whose pods could ask');
  });

  test('an unknown one gets the term where the caller says', () => {
    const chart = testChart();
    const client = new ApiObject(chart, 'Unknown', {
      apiVersion: 'example.com/v1', kind: 'Farm', metadata: { name: 'farm' }, spec: { barns: [{ pods: {} }, { pods: { affinity: { podAntiAffinity: {} } } }] },
    });
    opaAgent(chart).addClient(client, { affinityPointers: ['/spec/barns/*/pods/affinity', '/spec/field~1house/affinity'] });
    const { spec } = synthesised(client);
    expect(spec.barns.map(({ pods }: any) => preferred(pods.affinity))).toEqual([[opaTerm()], [opaTerm()]]);
    expect(spec.barns[1].pods.affinity.podAntiAffinity).toEqual({});
    expect(preferred(spec['field/house'].affinity)).toEqual([opaTerm()]);
    expect(() => bound({ apiVersion: 'example.com/v1', kind: 'Farm', metadata: { name: 'farm' }, spec: {} })).toThrow(/but example\.com\/v1 Farm: name a workload.*affinityPointers/);
    expect(() => bound(trino(), { affinityPointers: ['spec.affinity'] })).toThrow('[test/Opa] a JSON pointer begins with a slash');
  });

  test('what can only be given to containers is refused where an operator makes them', () => {
    expect(() => bound(trino(), { waitForAgent: true })).toThrow('waitForAgent would do nothing: its pods are made by an operator');
    bound(trino(), { address: ClientAddress.NONE });
  });
});
