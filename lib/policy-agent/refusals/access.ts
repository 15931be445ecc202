import { Refusal } from './refusal';
import { Acknowledgement } from '../acknowledgement';
import { ClientCertificates } from '../agent-tls';
import { apiPorts, listeningPorts } from '../objects/ports';

/** Ways of access that would not work, or not as safely as they seem. */
export const ACCESS_REFUSALS: Refusal[] = [
  function nothingToReach({ service, hostPorts, engineName }, binding) {
    if ((!service && !hostPorts) || apiPorts(binding).length > 0) return undefined;
    return `engine ${engineName} has no port for clients, so access by ${service ? 'Service' : 'hostPort'} leads nowhere`;
  },

  function metricsOfNoPort({ props: { metrics }, engineName }, { metricsPort }) {
    if (metricsPort || !(metrics?._annotations || metrics?._podMonitor)) return undefined;
    return `metrics are asked for, but engine ${engineName} serves none that the network can reach (with this access)`;
  },

  function nodeEndpointWithoutNodeAgent({ traits, hostPorts, socket, mode }) {
    if (traits.perNode || !traits.workload || (!hostPorts && !socket)) return undefined;
    return `access by ${hostPorts ? 'hostPort' : 'Unix socket'} with deploymentMode ${mode}: most nodes have no pod of the agent, and two pods ` +
      'cannot share one; use deploymentMode DAEMON_SET or AgentAccess.service()';
  },

  function userThatCannotBind({ socket, user }) {
    if (!socket?.directory._agentIsRoot || user === 0) return undefined;
    return `runAsUser ${user} cannot bind a socket in a directory that the kubelet makes, which belongs to root: use ` +
      'SocketDirectory.chownedBy(image) or SocketDirectory.prepared(), or leave runAsUser out';
  },

  function unusedClientCa({ tls }) {
    if (!tls?.clientCaSecret || tls.clientCertificates !== ClientCertificates.NONE) return undefined;
    return `clientCaSecret ${tls.clientCaSecret} has no effect with ClientCertificates.NONE: say how clients' certificates are to be verified, or leave it out`;
  },

  function certificateWithoutName({ tls, service, props }) {
    const options = tls?.source._certificate;
    if (!options || service || props.headlessService || tls.serverName || options.dnsNames?.length) return undefined;
    return 'a certificate needs a name, and there is no Service to take one from: give dnsNames or serverName';
  },

  function tlsWithoutServerName({ tls, hostPorts }) {
    if (!tls || !hostPorts || tls.serverName) return undefined;
    return 'TLS with access by hostPort needs tls.serverName: clients call an address of their node, which no certificate holds';
  },

  function socketBesideClientCertificates({ tls, socket, acknowledged }) {
    if (!socket || tls?.clientCertificates !== ClientCertificates.REQUIRED) return undefined;
    if (acknowledged.includes(Acknowledgement.SOCKET_BESIDE_CLIENT_CERTIFICATES)) return undefined;
    return 'access by Unix socket beside required client certificates: whoever mounts the socket\'s directory needs no certificate; ' +
      'leave one of both out, or acknowledge SOCKET_BESIDE_CLIENT_CERTIFICATES';
  },

  function socketWithoutEngine({ socket, engineName }, { socketFile }) {
    if (!socket) return undefined;
    if (!socketFile) return `engine ${engineName} has no Unix socket: use another way of access`;
    const path = `${socket.hostDirectory}/${socketFile}`;
    return Buffer.byteLength(path) > 107 ? `path of the Unix socket must have at most 107 bytes, given ${Buffer.byteLength(path)}: ${path}` : undefined;
  },

  function impossibleHostPorts({ hostPorts }, binding) {
    if (!hostPorts) return undefined;
    const api = apiPorts(binding);
    const ports = listeningPorts({ ports: api });
    const unknown = Object.keys(hostPorts).find((name) => !ports.some((port) => port.name === name));
    if (unknown) return `hostPort is given for port ${unknown}, but those that the engine listens on are ${ports.map(({ name }) => name).join(', ')}`;
    const numbers = ports.map(({ name, port }) => hostPorts[name] ?? port);
    const twice = numbers.find((port, index) => numbers.indexOf(port) !== index);
    return twice === undefined ? undefined : `hostPort ${twice} is given for two ports of the engine`;
  },
];
