import type { ServicePort, ServiceSpec } from 'kubernetes-types/core/v1';
import { metadata } from './metadata';
import { apiPorts, listeningPort, listeningPorts } from './ports';
import { headlessName } from '../../private/names';
import { Manifest } from '../../private/objects';
import { PolicyEngineBinding, PolicyEnginePort } from '../engine';
import { AgentSettings } from '../settings';
import { IpFamily } from '../traffic';

/** The Service of the agent: one, whatever role groups there are. */
export function serviceManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest {
  const { trafficDistribution } = settings.props;
  return service(settings, settings.instanceName, {
    type: 'ClusterIP',
    ports: ports(binding, apiPorts(binding)),
    ...(settings.internalTrafficPolicy && { internalTrafficPolicy: settings.internalTrafficPolicy }),
    ...(trafficDistribution && { trafficDistribution }),
  });
}

/** Every ready pod by its own address. Nothing translates ports here, so further names of a port are left out. */
export function headlessServiceManifest(settings: AgentSettings, binding: PolicyEngineBinding): Manifest {
  return service(settings, headlessName(settings.instanceName), { clusterIP: 'None', ports: ports(binding, listeningPorts({ ports: apiPorts(binding) })) });
}

function service(settings: AgentSettings, name: string, spec: ServiceSpec): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(settings, name),
    spec: { ...spec, ...ipFamilies(settings.props.ipFamily), selector: settings.selectorLabels },
  };
}

function ports(binding: PolicyEngineBinding, some: PolicyEnginePort[]): ServicePort[] {
  return some.map((port) => ({
    name: port.name,
    port: port.port,
    protocol: 'TCP',
    targetPort: listeningPort(port, binding).name,
    ...(port.appProtocol && { appProtocol: port.appProtocol }),
  }));
}

function ipFamilies(family?: IpFamily): Pick<ServiceSpec, 'ipFamilies' | 'ipFamilyPolicy'> {
  switch (family) {
    case undefined: return {};
    case IpFamily.DUAL_STACK: return { ipFamilyPolicy: 'PreferDualStack' };
    default: return { ipFamilyPolicy: 'SingleStack', ipFamilies: [family] };
  }
}
