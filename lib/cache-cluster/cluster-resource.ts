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

/** Emits a resource of a cluster, in the cluster's namespace, and has it checked at synth. */
export function emitClusterResource(scope: Construct, cluster: ICacheCluster, { kind, name, spec, options }: ResourceSpec): ApiObject {
  const { annotations, labels } = options;
  const object = emit(scope, 'Resource', {
    apiVersion: 'infinispan.org/v2alpha1',
    kind,
    metadata: {
      name,
      ...(cluster.namespace && { namespace: cluster.namespace }),
      labels: { 'app.kubernetes.io/name': 'infinispan', 'app.kubernetes.io/instance': cluster.clusterName, [MANAGED_BY_LABEL]: 'cdk8s', ...labels },
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec,
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
      const conflicts = Claims.of(scope).conflicts(scope, severalClusters ? [ClaimKind.NAME, ClaimKind.SERVER_NAME] : []);
      return [...webhookErrors(json, previous?.find(json)), ...conflicts];
    },
  });
}

/** What a cluster has only one of, whatever resources stand for it. */
export function claimServerName(scope: Construct, cluster: ICacheCluster, what: string, name: string) {
  const where = cluster.namespace ? ` in namespace ${cluster.namespace}` : '';
  Claims.of(scope).claim(ClaimKind.SERVER_NAME, `${what} ${JSON.stringify(name)} of cluster ${cluster.clusterName}${where}`, scope);
}
