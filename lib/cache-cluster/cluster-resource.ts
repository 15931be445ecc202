import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { factsOf } from './cluster-facts';
import { ICacheCluster } from './i-cache-cluster';
import { PreviousManifest } from './previous-manifest';
import { webhookErrors } from './webhook-rules';
import { ClaimKind, Claims } from '../private/claims';
import { MANAGED_BY_LABEL } from '../private/labels';
import { Json } from '../private/merge';
import { printWarnings } from '../private/messages';
import { emit, ObjectOverrides } from '../private/objects';

interface ResourceSpec {
  readonly kind: string;
  readonly name: string;
  readonly spec: Json;
  readonly options: CacheResourceOptions;
}

interface ObjectSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** What it has besides its metadata. */
  readonly content: Json;
  readonly options: CacheResourceOptions;
}

/** Emits a resource of a cluster, in the cluster's namespace, and has it checked at synth. */
export function emitClusterResource(scope: Construct, cluster: ICacheCluster, { kind, name, spec, options }: ResourceSpec): ApiObject {
  return emitClusterObject(scope, cluster, { apiVersion: 'infinispan.org/v2alpha1', kind, name, content: { spec }, options });
}

/** The same for an object of any kind. */
export function emitClusterObject(scope: Construct, cluster: ICacheCluster, { apiVersion, kind, name, content, options }: ObjectSpec): ApiObject {
  const { annotations, labels } = options;
  const object = emit(scope, 'Resource', {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(cluster.namespace && { namespace: cluster.namespace }),
      labels: { 'app.kubernetes.io/name': 'infinispan', 'app.kubernetes.io/instance': cluster.clusterName, [MANAGED_BY_LABEL]: 'cdk8s', ...labels },
      ...(annotations && { annotations: { ...annotations } }),
    },
    ...content,
  }, new ObjectOverrides());
  scope.node.defaultChild = object;
  const { previous, severalClusters } = factsOf(cluster);
  checkAtSynth(scope, object, previous, severalClusters);
  return object;
}

/** Has an object checked when the user has changed all that is to be changed. */
export function checkAtSynth(scope: Construct, object: ApiObject, previous: PreviousManifest | undefined, severalClusters: boolean) {
  scope.node.addValidation({
    validate: () => {
      printWarnings(scope);
      const json = object.toJson();
      return [...webhookErrors(json, previous?.find(json)), ...conflicts(scope, severalClusters)];
    },
  });
}

/** What is claimed more than once in an app, unless its charts go to several Kubernetes clusters. */
export function conflicts(scope: Construct, severalClusters: boolean): string[] {
  return Claims.of(scope).conflicts(scope, severalClusters ? [ClaimKind.NAME, ClaimKind.SERVER_NAME, ClaimKind.RECONCILER] : []);
}

/** What a cluster has only one of, whatever resources stand for it. */
export function claimServerName(scope: Construct, cluster: ICacheCluster, what: string, name: string) {
  Claims.of(scope).claim(ClaimKind.SERVER_NAME, `${what} ${JSON.stringify(name)} of ${described(cluster)}`, scope);
}

/** The one reconciler of a cluster. */
export function claimReconciler(scope: Construct, cluster: ICacheCluster) {
  Claims.of(scope).claim(ClaimKind.RECONCILER, `the reconciler of ${described(cluster)}`, scope);
}

function described({ clusterName, namespace }: ICacheCluster): string {
  return `cluster ${clusterName}${namespace ? ` in namespace ${namespace}` : ''}`;
}
