/** A preferred term that an operator gives its pods by itself, and drops as soon as the user names any. */
export interface DefaultTerm {
  readonly weight: number;
  /** Labels of the pods meant, besides the one below. */
  readonly labels: Record<string, string>;
  /** Labels whose value stands in the resource: the key, and the pointer to the value. Without a value there is no term. */
  readonly labelsFrom: Record<string, string | CatalogPointer>;
}

/** A value in each of the catalogs that a Trino cluster selects. */
export interface CatalogPointer {
  /** Within the connector. */
  readonly inConnector: string;
}

/** A place that wins over the one of the role, as soon as the user has put something there. */
export interface StrongerPlace {
  /** `*` stands for any key. */
  readonly affinity: string;
  /** What must be there for it to win: an affinity, a pod affinity in it, or a list of the same strength in that. */
  readonly wins: 'affinity' | 'podAffinity' | 'list';
}

/** One kind of pods that a resource makes. */
export interface PodPlace {
  /** As the resource calls it; undefined where it makes one kind of pods only. */
  readonly role?: string;
  /** Where an affinity goes. */
  readonly affinity: string;
  /** What must be there, since it is not made by us. Affects what the user did not define. */
  readonly within: string;
  /** Where a whole pod spec stands. */
  readonly podSpec?: string;
  /** Places that win over `affinity`. */
  readonly stronger?: readonly StrongerPlace[];
  /** A place that holds the affinity as long as `affinity` itself is not there. */
  readonly formerly?: string;
  /** Whether these pods ask a policy agent that the resource refers to; undefined where that depends on the workload. */
  readonly asks?: boolean;
  /** A value that a list of the resource must hold, or these pods ask nothing. */
  readonly onlyWith?: { readonly pointer: string; readonly value: string };
  /** A client only when the caller names the role. */
  readonly onlyNamed?: boolean;
  /** What the operator's own default loses when an affinity is set. */
  readonly replaces?: 'podAffinity' | 'affinity';
  readonly defaultAffinity?: readonly DefaultTerm[];
  readonly defaultAntiAffinity?: readonly DefaultTerm[];
  /** What the user should know when an affinity is set here. */
  readonly warning?: string;
}

/** Where a resource says which policy agent it asks. */
export interface AgentReference {
  readonly pointer: string;
  /** Name of the discovery ConfigMap in the resource's namespace, or a URL. */
  readonly holds: 'configMap' | 'url';
}

/** A kind of resource that makes pods. */
export interface ClientKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly places: readonly PodPlace[];
  readonly references?: readonly AgentReference[];
  /** The pods are made by the Kubernetes controllers themselves. */
  readonly builtIn?: boolean;
}
