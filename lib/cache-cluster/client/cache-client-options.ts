import { ClientAffinityOptions } from '../../client/affinity-options';
import { CaBundle } from '../../client/ca-bundle';

/** How a client talks to the servers. All protocols share one port. */
export enum CacheProtocol {
  /** Infinispan's own, binary. */
  HOT_ROD = 'HOT_ROD',

  /** HTTP. */
  REST = 'REST',

  /** That of Redis. */
  RESP = 'RESP',

  /** That of Memcached. */
  MEMCACHED = 'MEMCACHED',
}

/** Options of `addClient`. */
export interface CacheClientOptions extends ClientAffinityOptions {
  /**
   * How the client talks to the servers.
   *
   * @default CacheProtocol.HOT_ROD
   */
  readonly protocol?: CacheProtocol;

  /**
   * Secret in the client's namespace with keys `username` and `password`.
   *
   * @default - the cluster's `clientCredentialsSecret`, in the cluster's namespace
   */
  readonly credentialsSecret?: string;

  /**
   * The certificates by which the client verifies the servers'.
   *
   * @default - `ca.crt` of the cluster's Secret, in the cluster's namespace; must be given for clients elsewhere when there is TLS
   */
  readonly caBundle?: CaBundle;

  /**
   * Names of the containers (init containers, too) that ask.
   *
   * @default - all containers, but no init container
   */
  readonly containers?: string[];

  /**
   * Other names for variables, by their usual names: `{ INFINISPAN_URL: 'CACHE_URL' }`, say.
   *
   * @default - INFINISPAN_HOST, INFINISPAN_PORT, INFINISPAN_URL, INFINISPAN_USERNAME, INFINISPAN_PASSWORD, INFINISPAN_CA_FILE
   */
  readonly variables?: Record<string, string>;
}
