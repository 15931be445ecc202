import { AgentReference, CatalogPointer, ClientKind, DefaultTerm, PodPlace } from './client-kind';
import { COMPONENT_LABEL, INSTANCE_LABEL, NAME_LABEL } from '../private/labels';
import { Json } from '../private/merge';

/** A term to pods of a Stackable product. */
function term(weight: number, product: string, component?: string, instance: string | CatalogPointer = '/metadata/name'): DefaultTerm {
  const labels = { [NAME_LABEL]: product, ...(component && { [COMPONENT_LABEL]: component }) };
  return { weight, labels, labelsFrom: { [INSTANCE_LABEL]: instance } };
}

/** A role of a Stackable product: what its pods ask, and the terms that it has by default. */
type Role = Pick<PodPlace, 'asks'> & { readonly defaults?: DefaultTerm[]; readonly withoutGroups?: boolean };

/**
 * A product of the Stackable Data Platform. A role's pod affinity replaces the operator's, a role group's replaces the role's,
 * and one in `podOverrides` replaces both.
 *
 * @see https://docs.stackable.tech/home/stable/concepts/operations/pod_placement
 */
function stackable(product: string, kind: string, roles: Record<string, Role>, reference = '/spec/clusterConfig/authorization/opa/configMapName'): ClientKind {
  return {
    group: `${product}.stackable.tech`,
    kind,
    places: Object.entries(roles).map(([role, { asks, defaults = [], withoutGroups }]) => ({
      role,
      affinity: `/spec/${role}/config/affinity`,
      within: `/spec/${role}`,
      stronger: [
        { affinity: `/spec/${role}/podOverrides/spec/affinity`, wins: 'list' },
        ...(withoutGroups ? [] : [
          { affinity: `/spec/${role}/roleGroups/*/config/affinity`, wins: 'podAffinity' } as const,
          { affinity: `/spec/${role}/roleGroups/*/podOverrides/spec/affinity`, wins: 'list' } as const,
        ]),
      ],
      asks,
      replaces: 'podAffinity',
      defaultAffinity: defaults,
    })),
    references: reference ? [{ pointer: reference, holds: 'configMap' }] : [],
  };
}

/** A resource with a whole pod template at one place. */
function template(group: string, kind: string, podSpec = '/spec/template/spec', more: Partial<PodPlace> = {}): ClientKind {
  return { group, kind, places: [{ affinity: `${podSpec}/affinity`, within: podSpec, podSpec, ...more }] };
}

function builtIn(group: string, kind: string, podSpec?: string): ClientKind {
  return { ...template(group, kind, podSpec), builtIn: true };
}

/** A resource whose pods have an affinity at some pointer. */
function pointers(group: string, kind: string, places: Record<string, Omit<PodPlace, 'within'> & { readonly within?: string }>, references?: AgentReference[]): ClientKind {
  return { group, kind, places: Object.entries(places).map(([role, place]) => ({ within: '/spec', ...place, role })), references };
}

const STRIMZI = 'kafka.strimzi.io';
const opa = (role: string) => `/spec/${role}/template/pod/affinity`;
const hdfsOf = (instance: string) => term(50, 'hdfs', 'datanode', instance);

/** Where pods get their affinity in every kind that is known here, and which of them ask a policy agent. */
export const CLIENT_KINDS: readonly ClientKind[] = [
  builtIn('', 'Pod', '/spec'),
  builtIn('', 'ReplicationController'),
  builtIn('apps', 'Deployment'),
  builtIn('apps', 'StatefulSet'),
  builtIn('apps', 'DaemonSet'),
  builtIn('apps', 'ReplicaSet'),
  builtIn('batch', 'Job'),
  builtIn('batch', 'CronJob', '/spec/jobTemplate/spec/template/spec'),

  stackable('trino', 'TrinoCluster', {
    coordinators: { asks: true, defaults: [term(20, 'trino'), term(50, 'hive', 'metastore', { inConnector: '/metastore/configMap' })] },
    workers: { asks: false, defaults: [term(20, 'trino'), term(50, 'hdfs', 'datanode', { inConnector: '/hdfs/configMap' })] },
  }),
  stackable('kafka', 'KafkaCluster', { brokers: { asks: true }, controllers: { asks: false } }),
  stackable('hbase', 'HbaseCluster', {
    masters: { asks: true, defaults: [term(20, 'hbase')] },
    regionServers: { asks: true, defaults: [term(20, 'hbase'), hdfsOf('/spec/clusterConfig/hdfsConfigMapName')] },
    restServers: { asks: false, defaults: [term(20, 'hbase')] },
  }),
  stackable('hdfs', 'HdfsCluster', {
    nameNodes: { asks: true, defaults: [term(20, 'hdfs')] },
    dataNodes: { asks: false, defaults: [term(20, 'hdfs')] },
    journalNodes: { asks: false, defaults: [term(20, 'hdfs')] },
  }),
  stackable('druid', 'DruidCluster', {
    brokers: { asks: true, defaults: [term(60, 'druid', 'historical'), term(40, 'druid', 'middlemanager')] },
    coordinators: { asks: true },
    historicals: { asks: true, defaults: [hdfsOf('/spec/clusterConfig/deepStorage/hdfs/configMapName')] },
    middleManagers: { asks: true, defaults: [hdfsOf('/spec/clusterConfig/deepStorage/hdfs/configMapName')] },
    routers: { asks: true, defaults: [term(40, 'druid', 'broker')] },
  }),
  stackable('nifi', 'NifiCluster', { nodes: { asks: true } }),
  stackable('superset', 'SupersetCluster', { nodes: { asks: true }, workers: { asks: false }, beat: { asks: false } },
    '/spec/clusterConfig/authorization/roleMappingFromOpa/configMapName'),
  stackable('airflow', 'AirflowCluster', {
    webservers: { asks: true, defaults: [term(20, 'airflow')] },
    schedulers: { asks: false, defaults: [term(20, 'airflow')] },
    dagProcessors: { asks: false, defaults: [term(20, 'airflow')] },
    triggerers: { asks: false, defaults: [term(20, 'airflow')] },
    celeryExecutors: { asks: false, defaults: [term(20, 'airflow')] },
    kubernetesExecutors: { asks: false, defaults: [term(20, 'airflow')], withoutGroups: true },
  }),
  stackable('hive', 'HiveCluster', { metastore: { asks: true } }),
  stackable('opa', 'OpaCluster', { servers: { asks: false } }, ''),

  pointers(STRIMZI, 'Kafka', {
    kafka: { affinity: opa('kafka'), within: '/spec/kafka', asks: true, replaces: 'affinity' },
    entityOperator: { affinity: opa('entityOperator'), within: '/spec/entityOperator', asks: false },
    cruiseControl: { affinity: opa('cruiseControl'), within: '/spec/cruiseControl', asks: false },
    kafkaExporter: { affinity: opa('kafkaExporter'), within: '/spec/kafkaExporter', asks: false },
  }, [
    { pointer: '/spec/kafka/config/opa.authorizer.url', holds: 'url' },
    { pointer: '/spec/kafka/authorization/url', holds: 'url' },
  ]),
  // A pool with a template of its own gets nothing of the Kafka's, and one without all of it: none is made here.
  pointers(STRIMZI, 'KafkaNodePool', {
    pool: {
      affinity: '/spec/template/pod/affinity', within: '/spec/template/pod', onlyWith: { pointer: '/spec/roles', value: 'broker' }, asks: true, replaces: 'affinity',
    },
  }),
  pointers(STRIMZI, 'KafkaConnect', {
    connect: { affinity: '/spec/template/pod/affinity', replaces: 'affinity' },
    build: { affinity: '/spec/template/buildPod/affinity', asks: false },
  }),
  pointers(STRIMZI, 'KafkaBridge', { bridge: { affinity: '/spec/template/pod/affinity', replaces: 'affinity' } }),
  pointers(STRIMZI, 'KafkaMirrorMaker2', {
    mirrorMaker2: { affinity: '/spec/template/pod/affinity', replaces: 'affinity' },
    build: { affinity: '/spec/template/buildPod/affinity', asks: false },
  }),

  pointers('infinispan.org', 'Infinispan', {
    server: {
      affinity: '/spec/scheduling/affinity',
      formerly: '/spec/affinity',
      asks: false,
      replaces: 'affinity',
      defaultAntiAffinity: [{ weight: 100, labels: { app: 'infinispan-pod' }, labelsFrom: { clusterName: '/metadata/name', infinispan_cr: '/metadata/name' } }],
    },
  }),
  pointers('k8s.keycloak.org', 'Keycloak', {
    server: { affinity: '/spec/scheduling/affinity', stronger: [{ affinity: '/spec/unsupported/podTemplate/spec/affinity', wins: 'affinity' }], replaces: 'affinity' },
  }),
  template('argoproj.io', 'Rollout', undefined, { replaces: 'affinity' }),
  template('serving.knative.dev', 'Service', undefined, {
    replaces: 'affinity',
    warning: 'Knative takes an affinity only with the feature kubernetes.podspec-affinity, and then no longer keeps the pods of a revision apart',
  }),
  pointers('sparkoperator.k8s.io', 'SparkApplication', {
    driver: { affinity: '/spec/driver/affinity', within: '/spec/driver', replaces: 'affinity' },
    executor: { affinity: '/spec/executor/affinity', within: '/spec/executor', replaces: 'affinity' },
  }),
  // The common template and a specific one are merged, and lists in them by position: a term stands in one of them only.
  pointers('flink.apache.org', 'FlinkDeployment', {
    common: { affinity: '/spec/podTemplate/spec/affinity' },
    jobManager: { affinity: '/spec/jobManager/podTemplate/spec/affinity', within: '/spec/jobManager', onlyNamed: true },
    taskManager: { affinity: '/spec/taskManager/podTemplate/spec/affinity', within: '/spec/taskManager', onlyNamed: true },
  }),
  template('keda.sh', 'ScaledJob', '/spec/jobTargetRef/template/spec', { replaces: 'affinity' }),
  template('apps.kruise.io', 'CloneSet', undefined, { replaces: 'affinity' }),
  template('apps.kruise.io', 'StatefulSet', undefined, { replaces: 'affinity' }),
  pointers('cert-manager.io', 'Issuer', {
    'http01 solver (ingress)': { affinity: '/spec/acme/solvers/*/http01/ingress/podTemplate/spec/affinity', asks: false },
    'http01 solver (gateway)': { affinity: '/spec/acme/solvers/*/http01/gatewayHTTPRoute/podTemplate/spec/affinity', asks: false },
  }),
];

const BY_NAME = new Map(CLIENT_KINDS.map((kind) => [`${kind.kind}.${kind.group}`, kind]));

/** The kind of a resource, whatever its version; undefined if it is none that makes pods, as far as is known here. */
export function clientKindOf({ apiVersion, kind }: Json): ClientKind | undefined {
  const slash = String(apiVersion).indexOf('/');
  return BY_NAME.get(`${kind}.${slash < 0 ? '' : apiVersion.slice(0, slash)}`);
}
