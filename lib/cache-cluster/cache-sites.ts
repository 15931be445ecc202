import { Duration } from 'cdk8s';
import { CacheResources } from './cache-resources';

/** How other sites reach this one. */
export enum CacheSiteExposeType {
  /** By a port of every node. */
  NODE_PORT = 'NodePort',

  /** By a load balancer. */
  LOAD_BALANCER = 'LoadBalancer',

  /** Within the Kubernetes cluster. */
  CLUSTER_IP = 'ClusterIP',

  /** By a Route. Needs encryption between sites. */
  ROUTE = 'Route',
}

/** Versions of TLS between sites. */
export enum CacheSiteTlsProtocol {
  /** TLS 1.2. */
  TLS_1_2 = 'TLSv1.2',

  /** TLS 1.3. */
  TLS_1_3 = 'TLSv1.3',
}

/** A keystore or trust store in a Secret. */
export interface CacheSiteKeyStore {
  /** Name of the Secret. */
  readonly secretName: string;

  /**
   * Key of the Secret that is the store.
   *
   * @default - the operator's
   */
  readonly filename?: string;

  /**
   * Alias of the key in it. Not for a trust store.
   *
   * @default - the operator's
   */
  readonly alias?: string;
}

/** Encryption between sites. */
export interface CacheSiteEncryption {
  /**
   * Version of TLS.
   *
   * @default - the operator's
   */
  readonly protocol?: CacheSiteTlsProtocol;

  /** Keystore of the servers. */
  readonly transportKeyStore: CacheSiteKeyStore;

  /** Keystore of the router. */
  readonly routerKeyStore: CacheSiteKeyStore;

  /**
   * Trust store of both.
   *
   * @default - none
   */
  readonly trustStore?: CacheSiteKeyStore;
}

/** The site that a cluster is. */
export interface CacheLocalSite {
  /** Name of the site. */
  readonly name: string;

  /** How other sites reach it. */
  readonly expose: CacheSiteExposeType;

  /**
   * Port of the Service.
   *
   * @default - the operator's
   */
  readonly port?: number;

  /**
   * Port of the nodes.
   *
   * @default - the cluster chooses one
   */
  readonly nodePort?: number;

  /**
   * Host of the Route.
   *
   * @default - the platform chooses one
   */
  readonly routeHostName?: string;

  /**
   * Annotations of the Service or Route.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;

  /**
   * Servers that talk to other sites.
   *
   * @default - the operator's: 1
   */
  readonly maxRelayNodes?: number;

  /**
   * Start a router of this site's own.
   *
   * @default true
   */
  readonly launchGossipRouter?: boolean;

  /**
   * Requests and limits of the router.
   *
   * @default - the operator's
   */
  readonly routerResources?: CacheResources;

  /**
   * Tell other sites of servers that are suspected to be gone.
   *
   * @default - the operator's
   */
  readonly suspectEvents?: boolean;

  /**
   * How often routers are asked whether they live. Shorter than `heartbeatTimeout`.
   *
   * @default Duration.seconds(10)
   */
  readonly heartbeatInterval?: Duration;

  /**
   * When a router that does not answer is given up.
   *
   * @default Duration.seconds(30)
   */
  readonly heartbeatTimeout?: Duration;

  /**
   * Encryption between sites.
   *
   * @default - none
   */
  readonly encryption?: CacheSiteEncryption;
}

/** Another site. */
export interface CacheSiteLocation {
  /** Name of the site. */
  readonly name: string;

  /**
   * Where it is: `infinispan+xsite://host:port`, or the API server of its Kubernetes cluster as `kubernetes://host:port`,
   * `openshift://…` or `minikube://…`.
   *
   * @default - in the same Kubernetes cluster
   */
  readonly url?: string;

  /**
   * Secret with access to its Kubernetes cluster.
   *
   * @default - none
   */
  readonly secretName?: string;

  /**
   * Namespace of the cluster there.
   *
   * @default - that of this one
   */
  readonly namespace?: string;

  /**
   * Name of the cluster there.
   *
   * @default - that of this one
   */
  readonly clusterName?: string;
}

/** Sites between which caches are replicated. */
export interface CacheSites {
  /** The site that this cluster is. */
  readonly local: CacheLocalSite;

  /**
   * The others.
   *
   * @default - none
   */
  readonly locations?: CacheSiteLocation[];
}
