import type { PodTemplateSpec } from 'kubernetes-types/core/v1';
import { PolicyEngineBinding, PolicyEngineClients } from './engine';
import { harden } from './objects/pod-template';
import { apiPorts, listeningPorts } from './objects/ports';
import { AgentSettings } from './settings';
import { InternalTrafficPolicy, IpFamily } from './traffic';
import { AgentNodes, ClientOffer, Endpoint, Sidecar } from '../client/client-offer';
import { tolerationsOfDaemonSet } from '../client/node-local';
import { ClientAddress } from '../client/policy-client-options';
import { sidecarContainers } from '../client/sidecar';
import { nodeSelectionOf } from '../private/node-coverage';

type Templates = Record<string, PodTemplateSpec>;

/** What an agent, as it was rendered, has to offer to its clients. */
export function offerOf(settings: AgentSettings, binding: PolicyEngineBinding, templates: Templates, checksum: string): ClientOffer {
  const { tls } = settings;
  return {
    endpoints: endpointsOf(settings, binding),
    discovery: settings.service ? binding.discovery : undefined,
    tls: tls && {
      caSecret: tls.secretName,
      serverName: tls.serverName,
      clientCertificates: tls.clientCertificates === 'REQUIRED',
    },
    wait: binding.clients && {
      container: harden(settings, {
        image: binding.containers[0].image,
        resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: { runAsUser: binding.user, runAsGroup: binding.user, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      }),
      files: binding.clients.waitFiles,
      waitsByItself: binding.clients.waitsByItself ?? false,
    },
    nodes: settings.traits.perNode && !settings.previous ? nodesOf(templates) : undefined,
    sidecar: settings.traits.workload ? undefined : sidecarOf(settings, binding, Object.values(templates)[0], checksum),
  };
}

/** In order of preference. A sidecar has one way only, and no node. */
function endpointsOf(settings: AgentSettings, binding: PolicyEngineBinding): Endpoint[] {
  const { hostPorts, socket, loopback, service } = settings;
  const { variables = {}, socketVariables = {}, waitContainer, waitSocketContainer }: Partial<PolicyEngineClients> = binding.clients ?? {};
  const network = { variables, waitContainer };
  const local = settings.internalTrafficPolicy === InternalTrafficPolicy.LOCAL;
  return [
    ...(service || loopback ? [{
      ...network,
      address: ClientAddress.SERVICE,
      words: { ...ports(binding), host: settings.serviceHost ?? '127.0.0.1' },
      nodeLocal: service && local,
    }] : []),
    ...(hostPorts ? [{
      ...network,
      address: ClientAddress.HOST_PORT,
      words: ports(binding, hostPorts),
      node: nodeOf(settings),
      nodeLocal: true,
    }] : []),
    ...(socket ? [{
      address: ClientAddress.UNIX_SOCKET,
      variables: socketVariables,
      waitContainer: waitSocketContainer,
      words: { socket: `${socket.hostDirectory}/${binding.socketFile}` },
      socket: {
        directory: socket.hostDirectory,
        group: socket.group,
        // A client that comes first must not make the directory: the agent could not bind in it.
        volume: socket.directory._hostPathType ? { hostPath: { path: socket.hostDirectory, type: 'Directory' } } : { emptyDir: {} },
      },
      nodeLocal: settings.traits.workload !== undefined,
    }] : []),
  ];
}

/** Further names of a port lead to the same one on the node. */
function ports(binding: PolicyEngineBinding, hostPorts?: Record<string, number>): Record<string, string> {
  const listening = listeningPorts({ ports: apiPorts(binding) });
  return Object.fromEntries(apiPorts(binding).map(({ name, port, containerPort = port }) => {
    const target = listening.find((other) => other.port === containerPort)!;
    return [name, String(hostPorts ? hostPorts[target.name] ?? target.port : port)];
  }));
}

function nodeOf({ engineName, props }: AgentSettings): Endpoint['node'] {
  return { variable: `${engineName.toUpperCase().replaceAll('-', '_')}_HOST_IP`, ipv6: props.ipFamily === IpFamily.IPV6 };
}

function nodesOf(templates: Templates): AgentNodes {
  const groups = Object.entries(templates);
  return {
    selections: Object.fromEntries(groups.map(([name, { spec }]) => [name, nodeSelectionOf(spec!)])),
    tolerations: groups.map(([, { spec }]) => tolerationsOfDaemonSet(spec!.tolerations)),
  };
}

function sidecarOf(
  { instanceName, props }: AgentSettings, { configMaps = [] }: PolicyEngineBinding, template: PodTemplateSpec, checksum: string,
): Sidecar {
  return {
    ...sidecarContainers(template, instanceName),
    configMaps: Object.fromEntries(configMaps.map(({ suffix, data }) => [`${instanceName}-${suffix}`, data])),
    checksum,
    imagePullSecrets: props.imagePullSecrets ?? [],
  };
}
