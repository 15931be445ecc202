import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { CacheUpdateStrategy } from './cache-update-strategy';
import { factsOf } from './cluster-facts';
import { claimServerName, emitClusterObject } from './cluster-resource';
import { ICacheCluster } from './i-cache-cluster';
import { checkServerName, resourceName } from './names';
import { StaticDefinitions } from './server/static-definitions';
import { CACHE_CLUSTER_LABEL, CACHE_DEFINITION_LABEL, UPDATE_STRATEGY_ANNOTATION } from '../private/labels';

/** Client-side apply keeps a copy in an annotation, which ends at 256 KiB; the rest of the object needs room, too. */
const LONGEST = 240 * 1024;

/** What a cluster has besides caches. */
export interface Definition {
  readonly kind: 'counter' | 'template' | 'schema' | 'task';
  /** On the server. */
  readonly name: string;
  /** As a reconciler gives it to the server. */
  readonly text: string;
  readonly options: CacheResourceOptions & { readonly updates?: CacheUpdateStrategy };
  /** Puts it into the servers' own configuration, if it can stand there. */
  readonly declare?: (definitions: StaticDefinitions) => void;
}

/** Has a definition carried out by the cluster's reconciler, or else by the servers' own configuration; returns the ConfigMap for the former. */
export function define(scope: Construct, cluster: ICacheCluster, definition: Definition): ApiObject | undefined {
  const { kind, name, declare, options } = definition;
  checkServerName(name, kind);
  const { applier, definitions } = factsOf(cluster);
  if (applier) {
    claimServerName(scope, cluster, kind, name);
    const object = emitDefinition(scope, cluster, definition);
    applier.expect(object.name);
    return object;
  }
  if (!declare || !definitions) {
    throw new Error(`${kind} ${name}: nothing would give it to the servers of cluster ${cluster.clusterName}; give the cluster a reconciler ` +
      `(configReconciler, ConfigReconciler.addCluster)${declare ? ', add it where a cluster of deploymentMode STATEFUL_SET is made' : ''}, or make it over REST`);
  }
  const given = Object.entries(options).find(([, value]) => value !== undefined);
  if (given) throw new Error(`${given[0]} of ${kind} ${name} needs a reconciler: it stands in the servers' configuration, and there is no object that would have them`);
  declare(definitions);
  return undefined;
}

function emitDefinition(scope: Construct, cluster: ICacheCluster, { kind, name, text, options }: Definition): ApiObject {
  const { clusterName } = cluster;
  const { labels, annotations, updates } = options;
  const data = { name, definition: text };
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > LONGEST) throw new Error(`${kind} ${name} would need a ConfigMap of ${bytes} bytes, at most ${LONGEST} are allowed: client-side apply ends there`);
  return emitClusterObject(scope, cluster, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    // No name on the server holds the control character, so kinds never share one; nor do caches, or what the reconciler makes.
    name: resourceName(clusterName, `${kind}\0${name}`),
    content: { data },
    options: {
      labels: { ...labels, [CACHE_CLUSTER_LABEL]: clusterName, [CACHE_DEFINITION_LABEL]: kind },
      annotations: updates === undefined ? annotations : { ...annotations, [UPDATE_STRATEGY_ANNOTATION]: updates },
    },
  });
}
