import type { ServiceSpec } from 'kubernetes-types/core/v1';
import { metadata } from './metadata';
import { apiPorts, listeningPort } from './ports';
import { Manifest } from '../../private/objects';
import { PolicyEngineBinding } from '../engine';
import { AgentSettings } from '../settings';
import { IpFamily } from '../traffic';

/** The Service of the agent: one, whatever role groups there are. */
export function serviceManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest {
  const { trafficDistribution } = settings.props;
  return service(settings, settings.instanceName, {
    type: 'ClusterIP',
    ...ports(binding),
    ...(settings.internalTrafficPolicy && { internalTrafficPolicy: settings.internalTrafficPolicy }),
    ...(trafficDistribution && { trafficDistribution }),
  });
}

/** Every ready pod by its own address. */
export function headlessServiceManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest {
  return service(settings, headlessServiceName(settings), { clusterIP: 'None', ...ports(binding) });
}

export function headlessServiceName({ instanceName }: AgentSettings): string {
  return `${instanceName}-headless`;
}

function service(settings: AgentSettings, name: string, spec: ServiceSpec): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(settings, name),
    spec: { ...spec, ...ipFamilies(settings.props.ipFamily), selector: settings.selectorLabels },
  };
}

function ports(binding: PolicyEngineBinding): Pick<ServiceSpec, 'ports'> {
  return {
    ports: apiPorts(binding).map((port) => ({
      name: port.name,
      port: port.port,
      protocol: 'TCP',
      targetPort: listeningPort(port, binding).name,
      ...(port.appProtocol && { appProtocol: port.appProtocol }),
    })),
  };
}

function ipFamilies(family?: IpFamily): Pick<ServiceSpec, 'ipFamilies' | 'ipFamilyPolicy'> {
  switch (family) {
    case undefined: return {};
    case IpFamily.DUAL_STACK: return { ipFamilyPolicy: 'PreferDualStack' };
    default: return { ipFamilyPolicy: 'SingleStack', ipFamilies: [family] };
  }
}
