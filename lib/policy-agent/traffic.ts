/**
 * Which endpoints traffic from inside the cluster may reach.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service-traffic-policy/
 */
export enum InternalTrafficPolicy {
  /** Only pods on the client's own node. Where there is none, packets are dropped, not refused. */
  LOCAL = 'Local',

  /** Any pod. */
  CLUSTER = 'Cluster',
}

/**
 * Which endpoints are preferred; others take over where the preferred ones are missing.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#traffic-distribution
 */
export enum TrafficDistribution {
  /** The client's node first, then its zone. Busy clients keep to their own agent, however idle others are. */
  PREFER_SAME_NODE = 'PreferSameNode',

  /** The client's zone first. */
  PREFER_SAME_ZONE = 'PreferSameZone',
}

/**
 * Address families of the agent's Services.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/dual-stack/
 */
export enum IpFamily {
  /** IPv4 only. */
  IPV4 = 'IPv4',

  /** IPv6 only. */
  IPV6 = 'IPv6',

  /** Both, where the cluster has both. */
  DUAL_STACK = 'DualStack',
}
