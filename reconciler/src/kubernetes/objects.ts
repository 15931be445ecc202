/** What is used of an object's metadata. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
}

export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly message?: string;
}

/** @see https://github.com/infinispan/infinispan-operator/blob/main/api/v2alpha1/cache_types.go */
export interface CacheResource extends KubernetesObject {
  readonly spec: {
    readonly clusterName: string;
    readonly name?: string;
    readonly template?: string;
    readonly templateName?: string;
    readonly updates?: { readonly strategy?: 'retain' | 'recreate' };
  };
  readonly status?: { readonly conditions?: Condition[] };
}

export const CACHE_API = 'infinispan.org/v2alpha1';

export function cachesPath(namespace: string): string {
  return `/apis/${CACHE_API}/namespaces/${namespace}/caches`;
}
