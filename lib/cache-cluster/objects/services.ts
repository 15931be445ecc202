import type { ServiceSpec } from 'kubernetes-types/core/v1';
import { metadata } from './metadata';
import { Manifest } from '../../private/objects';
import { adminServiceName } from '../names';
import { ADMIN_PORT, CacheClusterSettings, CLIENT_PORT } from '../settings';

/** Port by which servers talk to each other. */
export const CLUSTER_PORT = 7800;
/** Port by which servers find out that one is gone: 50000 above. */
export const FAILURE_DETECTION_PORT = 57800;

/** Name of the Service by which servers find each other. */
export function pingServiceName({ clusterName }: CacheClusterSettings): string {
  return `${clusterName}-ping`;
}

/** The Services of a StatefulSet, by the ids of their constructs; named as the operator names its own. */
export function serviceManifests(settings: CacheClusterSettings): Record<string, Manifest> {
  const { clusterName, props: { expose } } = settings;
  return {
    Service: service(settings, clusterName, { type: 'ClusterIP', ports: [port('infinispan', CLIENT_PORT, 'client')] }),
    AdminService: service(settings, adminServiceName(clusterName), { clusterIP: 'None', ports: [port('infinispan-adm', ADMIN_PORT, 'admin')] }),
    PingService: service(settings, pingServiceName(settings), {
      clusterIP: 'None',
      // Servers must find each other before they are ready.
      publishNotReadyAddresses: true,
      ports: [port('cluster', CLUSTER_PORT, 'cluster')],
    }),
    ...(expose && {
      ExternalService: service(settings, `${clusterName}-external`, {
        type: expose._spec.type,
        ports: [{ ...port('infinispan', expose._spec.port ?? CLIENT_PORT, 'client'), ...(expose._spec.nodePort && { nodePort: expose._spec.nodePort }) }],
      }, expose._spec.annotations),
    }),
  };
}

function service(settings: CacheClusterSettings, name: string, spec: ServiceSpec, annotations?: Record<string, string>): Manifest {
  return { apiVersion: 'v1', kind: 'Service', metadata: metadata(settings, name, annotations), spec: { ...spec, selector: settings.podLabels } };
}

function port(name: string, number: number, targetPort: string) {
  return { name, port: number, protocol: 'TCP', targetPort };
}
