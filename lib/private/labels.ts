/** Prefix of every label, annotation and metadata key that this library invents. */
export const PREFIX = 'cdk8s-platform-services';

export const NAME_LABEL = 'app.kubernetes.io/name';
export const INSTANCE_LABEL = 'app.kubernetes.io/instance';
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
/** As the Stackable operators name it. */
export const ROLE_GROUP_LABEL = 'app.kubernetes.io/role-group';
/** Stands in the selectors of workloads and disruption budgets only, so that both kinds can live side by side. */
export const WORKLOAD_KIND_LABEL = `${PREFIX}/workload-kind`;

/** On clients: says which agent they ask, as `<name of the agent>` in the same namespace or `<name>.<namespace>`. */
export const AGENT_LABEL = `${PREFIX}/policy-agent`;

/** Type of the metadata entries that list clients, and why they are. */
export const CLIENT_METADATA = `${PREFIX}/client`;

/** On ConfigMaps with a definition for a reconciler to apply: for which cluster, and of what kind. */
export const CACHE_CLUSTER_LABEL = `${PREFIX}/cache-cluster`;
export const CACHE_DEFINITION_LABEL = `${PREFIX}/cache-definition`;
/** On such a ConfigMap: what happens when the server cannot change what it has. */
export const UPDATE_STRATEGY_ANNOTATION = `${PREFIX}/update-strategy`;

/** On pods: changes with every configuration file, so that a change rolls them. */
export const CHECKSUM_ANNOTATION = `${PREFIX}/configuration-checksum`;
