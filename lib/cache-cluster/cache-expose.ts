/** Options of `CacheExpose.nodePort`. */
export interface CacheNodePortOptions {
  /**
   * Port of the nodes.
   *
   * @default - the cluster chooses one
   */
  readonly nodePort?: number;

  /**
   * Annotations of the Service.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;
}

/** Options of `CacheExpose.loadBalancer`. */
export interface CacheLoadBalancerOptions {
  /**
   * Port of the load balancer.
   *
   * @default 11222
   */
  readonly port?: number;

  /**
   * Annotations of the Service.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;
}

/** Options of `CacheExpose.route`. */
export interface CacheRouteOptions {
  /**
   * Name by which clients come.
   *
   * @default - the platform chooses one
   */
  readonly host?: string;

  /**
   * Annotations of the Route or Ingress.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;
}

/** How clients outside of the Kubernetes cluster reach the servers. */
export class CacheExpose {
  /** By a port of every node. */
  public static nodePort(options: CacheNodePortOptions = {}): CacheExpose {
    return new CacheExpose({ type: 'NodePort', ...options });
  }

  /** By a load balancer. */
  public static loadBalancer(options: CacheLoadBalancerOptions = {}): CacheExpose {
    return new CacheExpose({ type: 'LoadBalancer', ...options });
  }

  /** By a Route on OpenShift, by an Ingress elsewhere. Only with the operator. */
  public static route(options: CacheRouteOptions = {}): CacheExpose {
    return new CacheExpose({ type: 'Route', ...options });
  }

  private constructor(
    /** @internal */
    public readonly _spec: {
      readonly type: string;
      readonly port?: number;
      readonly nodePort?: number;
      readonly host?: string;
      readonly annotations?: Record<string, string>;
    },
  ) {}
}
