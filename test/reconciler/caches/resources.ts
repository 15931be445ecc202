import { MARK } from '../../../reconciler/src/caches/marks';
import { CacheResource, Metadata } from '../../../reconciler/src/kubernetes/objects';

/** A `Cache` resource as the API server tells of it. */
export function resource(metadata: Partial<Metadata> & { readonly uid: string }, spec: Partial<CacheResource['spec']> = {}, status?: CacheResource['status']): CacheResource {
  return {
    metadata: { name: metadata.uid, resourceVersion: '1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { clusterName: 'sessions', name: 'orders', ...spec },
    ...(status && { status }),
  };
}

export const marked = { annotations: { [MARK]: 'reconciler' } };
