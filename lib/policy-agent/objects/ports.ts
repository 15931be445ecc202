import { PolicyEngineBinding, PolicyEnginePort } from '../engine';

type Ports = Pick<PolicyEngineBinding, 'ports'>;

/** Ports by which clients of the Service ask. */
export function apiPorts({ ports }: Ports): PolicyEnginePort[] {
  return ports.filter(({ api = true }) => api);
}

/** Ports that the container listens on by themselves; others are further names of one of these. */
export function listeningPorts({ ports }: Ports): PolicyEnginePort[] {
  return ports.filter(({ port, containerPort = port }) => port === containerPort);
}

/** The port of the container behind a port of the Service. */
export function listeningPort(port: PolicyEnginePort, { ports }: Ports): PolicyEnginePort {
  return listeningPorts({ ports }).find((other) => other.port === (port.containerPort ?? port.port))!;
}
