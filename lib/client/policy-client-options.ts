import { ClientAffinityOptions } from './affinity-options';
import { CaBundle } from './ca-bundle';
import { Acknowledgement } from '../policy-agent/acknowledgement';

/** How a client is told where its agent is. */
export enum ClientAddress {
  /** Variables with the address of the Service. */
  SERVICE = 'SERVICE',

  /** Variables that refer to the discovery ConfigMap, called as its keys. The client's namespace gets a copy if it is another one. */
  DISCOVERY = 'DISCOVERY',

  /** Variables with the address of the client's own node. The agent must have `AgentAccess.hostPort()`. */
  HOST_PORT = 'HOST_PORT',

  /** Variables with the path of the socket, and its directory as a read-only volume. The agent must have `AgentAccess.unixSocket()`. */
  UNIX_SOCKET = 'UNIX_SOCKET',

  /** Not at all: affinity only. */
  NONE = 'NONE',
}

/** Options of `addClient`. */
export interface PolicyClientOptions extends ClientAffinityOptions {
  /**
   * How the client is told where its agent is. Has no meaning for an agent in the client's own pod, nor for custom resources,
   * whose operators have a setting of their own.
   *
   * @default - the first way of access that the agent has: Service, hostPort, socket
   */
  readonly address?: ClientAddress;

  /**
   * Names of the containers (init containers, too) that ask.
   *
   * @default - all containers, but no init container
   */
  readonly containers?: string[];

  /**
   * Other names for variables, by their usual names: `{ OPA_URL: 'PDP_URL' }`, say.
   *
   * @default - OPA_URL, OPA_SOCKET, OPA_CA_FILE; CERBOS_HTTP, CERBOS_GRPC, CERBOS_CA_FILE; with a hostPort also OPA_HOST_IP or CERBOS_HOST_IP
   */
  readonly variables?: Record<string, string>;

  /**
   * The certificates by which the client verifies the agent's.
   *
   * @default - `ca.crt` of the agent's Secret, in the agent's namespace; must be given for clients elsewhere when the agent has TLS
   */
  readonly caBundle?: CaBundle;

  /**
   * Start the client's containers only when the agent answers: an init container of the engine's image asks it. OPA waits
   * by itself; for Cerbos it is one try, which the kubelet repeats after 10 seconds, 20 seconds and so on.
   *
   * @default false
   */
  readonly waitForAgent?: boolean;

  /**
   * An image that waits by itself, in place of the engine's. It runs as it is, with the variables of the client.
   *
   * @default - the engine's
   */
  readonly waitImage?: string;

  /**
   * For custom resources: the roles that ask.
   *
   * @default - those that are known to ask, or may
   */
  readonly roles?: string[];

  /**
   * For custom resources that are not known: where an affinity goes, as JSON pointers such as `/spec/pods/affinity`. `*` stands
   * for any key or index.
   *
   * @default - none
   */
  readonly affinityPointers?: string[];

  /**
   * Refusals that are to be passed over: `CLIENT_BEYOND_AGENT`.
   *
   * @default - none
   */
  readonly acknowledge?: Acknowledgement[];
}
