import type { StatefulSetSpec } from 'kubernetes-types/apps/v1';
import { metadata } from './metadata';
import { podTemplate } from './pod-template';
import { pingServiceName } from './services';
import { Manifest } from '../../private/objects';
import { StaticDefinitions } from '../server/static-definitions';
import { CacheClusterSettings } from '../settings';

/** On the StatefulSet: the version of its servers. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** The servers, if no operator runs them. They start, change and stop one after the other. */
export function statefulSetManifest(settings: CacheClusterSettings, definitions: StaticDefinitions): Manifest {
  const { clusterName, replicas, storage, storageSize, podLabels, version } = settings;
  const { labels, ...rest } = metadata(settings, clusterName);
  const spec: StatefulSetSpec = {
    replicas,
    serviceName: pingServiceName(settings),
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate' },
    // Until the others have seen the new one and entries move, the next must not stop.
    minReadySeconds: 10,
    selector: { matchLabels: podLabels },
    template: podTemplate(settings, definitions),
    ...(storage._persistent && {
      volumeClaimTemplates: [{
        metadata: { name: 'data' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          ...(storage._persistent.storageClassName && { storageClassName: storage._persistent.storageClassName }),
          resources: { requests: { storage: storageSize } },
        },
      }],
    }),
  };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { ...rest, labels: { ...labels, [VERSION_LABEL]: version! } }, spec };
}
