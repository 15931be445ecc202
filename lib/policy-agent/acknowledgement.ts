/** What a user may know better than the checks at synth: names a refusal that is to be passed over. */
export enum Acknowledgement {
  /**
   * `internalTrafficPolicy: Local` although some nodes may have no agent: clients there get no answer at all, since
   * their packets are dropped.
   */
  LOCAL_WITHOUT_FULL_COVERAGE = 'LOCAL_WITHOUT_FULL_COVERAGE',

  /**
   * Role groups of a DaemonSet that may select the same node: it then runs one agent of each.
   */
  OVERLAPPING_ROLE_GROUPS = 'OVERLAPPING_ROLE_GROUPS',

  /**
   * A Unix socket beside required client certificates: whoever mounts the socket's directory needs no certificate.
   */
  SOCKET_BESIDE_CLIENT_CERTIFICATES = 'SOCKET_BESIDE_CLIENT_CERTIFICATES',

  /**
   * Charts of the app go to different clusters, so equal names and node endpoints are no conflict.
   */
  SEVERAL_CLUSTERS = 'SEVERAL_CLUSTERS',

  /**
   * A hostPort or socket directory that another agent of the app has, too, on other nodes.
   */
  SHARED_NODE_ENDPOINTS = 'SHARED_NODE_ENDPOINTS',

  /**
   * A client that is bound to the agent of its own node, and may stand on nodes without one: it gets no answer there.
   */
  CLIENT_BEYOND_AGENT = 'CLIENT_BEYOND_AGENT',

  /**
   * The manifests are applied on the server's side, so a ConfigMap may have 1 MiB instead of 256 KiB (the limit of the
   * annotation that client-side apply writes).
   *
   * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
   */
  SERVER_SIDE_APPLY = 'SERVER_SIDE_APPLY',
}
