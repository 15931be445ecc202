import { metadata } from './metadata';
import { headlessName, serviceHost } from '../../private/names';
import { Manifest } from '../../private/objects';
import { AgentSettings } from '../settings';

/** The cert-manager Certificate, if TLS comes from one. */
export function certificateManifest(settings: AgentSettings): Manifest | undefined {
  const { tls } = settings;
  const options = tls?.source._certificate;
  if (!options) return undefined;
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: metadata(settings, settings.instanceName),
    spec: {
      secretName: tls!.secretName,
      issuerRef: { name: options.issuerName, kind: options.issuerKind ?? 'Issuer', group: options.issuerGroup ?? 'cert-manager.io' },
      dnsNames: [...new Set([
        ...serviceNames(settings),
        ...(tls!.serverName ? [tls!.serverName] : []),
        ...(options.dnsNames ?? []),
      ])],
      usages: ['server auth', 'digital signature', 'key encipherment'],
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      ...(options.duration && { duration: `${options.duration.toSeconds()}s` }),
      ...(options.renewBefore && { renewBefore: `${options.renewBefore.toSeconds()}s` }),
    },
  };
}

/** Every name by which clients may call the Services: short, with the namespace, and as in their addresses. */
function serviceNames(settings: AgentSettings): string[] {
  const { instanceName, namespace, props } = settings;
  const services = [
    ...(settings.service ? [instanceName] : []),
    ...(props.headlessService ? [headlessName(instanceName)] : []),
  ];
  return services.flatMap((name) => [
    name,
    ...(namespace ? [`${name}.${namespace}`, serviceHost(name, namespace)] : []),
    ...(namespace && props.clusterDomain ? [serviceHost(name, namespace, props.clusterDomain)] : []),
  ]);
}
