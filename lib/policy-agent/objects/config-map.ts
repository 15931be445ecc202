import { metadata } from './metadata';
import { Manifest } from '../../private/objects';
import { Acknowledgement } from '../acknowledgement';
import { AgentSettings } from '../settings';

/** Client-side apply copies an object into an annotation, and all annotations together may have so many bytes. */
const CLIENT_SIDE_APPLY_BYTES = 256 * 1024;
/** What other annotations, or labels of the chart, may take. */
const RESERVED_BYTES = 1024;
/** So much may an object have in etcd, and a ConfigMap's data by itself. */
const OBJECT_BYTES = 1024 * 1024;

/** A ConfigMap, refused when the API server would refuse it. */
export function configMapManifest(settings: AgentSettings, name: string, data: Record<string, string>): Manifest {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(settings, name), data };
  const applied = { ...manifest, metadata: { ...manifest.metadata, namespace: settings.namespace, annotations: {} } };
  const serverSide = settings.acknowledged.includes(Acknowledgement.SERVER_SIDE_APPLY);
  const limit = serverSide ? OBJECT_BYTES : CLIENT_SIDE_APPLY_BYTES;
  const bytes = Buffer.byteLength(JSON.stringify(applied)) + RESERVED_BYTES;
  if (bytes > limit) {
    throw new Error(
      `ConfigMap ${name} would have ${bytes} bytes, at most ${limit} are allowed${serverSide ? '' : ' for client-side apply'}: ` +
      (serverSide ? '' : 'apply on the server\'s side and acknowledge SERVER_SIDE_APPLY (1 MiB), or ') +
      'split the files over several PolicyFiles.inline, or bring them by PolicyFiles.fromImage or from a server',
    );
  }
  return manifest;
}
