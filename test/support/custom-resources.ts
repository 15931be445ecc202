const database = { generic: { connectionUrlSecretName: 'db' } };

/** A small valid resource of each custom kind whose pods may ask an agent; those that can refer to one refer to `opa`. */
export const CUSTOM_RESOURCES: any[] = [
  ...stackable('trino', 'TrinoCluster', { catalogLabelSelector: {} }, ['coordinators', 'workers']),
  ...stackable('kafka', 'KafkaCluster', {}, ['brokers']),
  ...stackable('hbase', 'HbaseCluster', { hdfsConfigMapName: 'hdfs', zookeeperConfigMapName: 'zk' }, ['masters', 'regionServers']),
  ...stackable('hdfs', 'HdfsCluster', { zookeeperConfigMapName: 'zk' }, ['nameNodes', 'dataNodes', 'journalNodes']),
  ...stackable('druid', 'DruidCluster', {
    deepStorage: { hdfs: { configMapName: 'hdfs', directory: '/druid' } }, metadataDatabase: { derby: {} }, zookeeperConfigMapName: 'zk',
  }, ['brokers', 'coordinators', 'historicals', 'middleManagers', 'routers']),
  ...stackable('nifi', 'NifiCluster', { authentication: [], sensitiveProperties: { keySecret: 'key' } }, ['nodes']),
  ...stackable('superset', 'SupersetCluster', { credentialsSecret: 'secret', metadataDatabase: database, authorization: { roleMappingFromOpa: { configMapName: 'opa' } } }, ['nodes']),
  ...stackable('airflow', 'AirflowCluster', { credentialsSecretName: 'secret', metadataDatabase: database }, ['webservers', 'schedulers', 'celeryExecutors'], 'v1alpha2'),
  ...stackable('hive', 'HiveCluster', { metadataDatabase: { derby: {} } }, ['metastore']),
  resource('kafka.strimzi.io/v1', 'Kafka', {
    kafka: { listeners: [{ name: 'plain', port: 9092, type: 'internal', tls: false }], config: { 'opa.authorizer.url': 'http://opa.authz.svc:8181/v1/data/kafka/allow' } },
  }),
  resource('kafka.strimzi.io/v1', 'KafkaNodePool', { replicas: 3, roles: ['broker'], storage: { type: 'ephemeral' }, template: { pod: {} } }),
  resource('kafka.strimzi.io/v1', 'KafkaConnect', {
    replicas: 1, bootstrapServers: 'kafka:9092', groupId: 'g', configStorageTopic: 'c', statusStorageTopic: 's', offsetStorageTopic: 'o',
  }),
  resource('kafka.strimzi.io/v1', 'KafkaBridge', { replicas: 1, bootstrapServers: 'kafka:9092' }),
  resource('k8s.keycloak.org/v2alpha1', 'Keycloak', { instances: 1 }),
  resource('argoproj.io/v1alpha1', 'Rollout', { selector: { matchLabels: { app: 'web' } }, template: template() }),
  resource('serving.knative.dev/v1', 'Service', { template: template() }),
  resource('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { driver: {}, executor: {}, mainApplicationFile: 'local:///a.py', sparkVersion: '4.0.0', type: 'Python' }),
  resource('flink.apache.org/v1beta1', 'FlinkDeployment', { image: 'flink:2', flinkVersion: 'v2_0', jobManager: { replicas: 1 }, taskManager: { replicas: 1 } }),
  resource('keda.sh/v1alpha1', 'ScaledJob', { jobTargetRef: { template: template({ restartPolicy: 'Never' }) }, triggers: [{ type: 'cron', metadata: {} }] }),
  resource('apps.kruise.io/v1beta1', 'CloneSet', { selector: { matchLabels: { app: 'web' } }, template: template() }),
  resource('apps.kruise.io/v1beta1', 'StatefulSet', { selector: { matchLabels: { app: 'web' } }, template: template() }),
];

function stackable(product: string, kind: string, clusterConfig: any, roles: string[], version = 'v1alpha1'): any[] {
  const role = { roleGroups: { default: { replicas: 1 } } };
  return [resource(`${product}.stackable.tech/${version}`, kind, {
    image: { productVersion: '1.0' },
    clusterConfig: { authorization: { opa: { configMapName: 'opa' } }, ...clusterConfig },
    ...Object.fromEntries(roles.map((name) => [name, role])),
  })];
}

function resource(apiVersion: string, kind: string, spec: any): any {
  return { apiVersion, kind, metadata: { name: `a-${kind.toLowerCase()}` }, spec };
}

function template(pod: any = {}): any {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }], ...pod } };
}
