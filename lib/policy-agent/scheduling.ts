/**
 * A condition on a node's labels.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity
 */
export class NodeRequirement {
  /** The label has one of the values. */
  public static in(key: string, values: string[]): NodeRequirement {
    return new NodeRequirement(key, 'In', someValues(key, values));
  }

  /** The label has none of the values, or is missing. */
  public static notIn(key: string, values: string[]): NodeRequirement {
    return new NodeRequirement(key, 'NotIn', someValues(key, values));
  }

  /** The label is there. */
  public static exists(key: string): NodeRequirement {
    return new NodeRequirement(key, 'Exists');
  }

  /** The label is missing. */
  public static doesNotExist(key: string): NodeRequirement {
    return new NodeRequirement(key, 'DoesNotExist');
  }

  private constructor(
    /** Key of the label. */
    public readonly key: string,
    /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
    public readonly operator: string,
    /** Values, for `In` and `NotIn`. */
    public readonly values?: string[],
  ) {
    if (!key) throw new Error('the key of a node requirement must not be empty');
  }
}

function someValues(key: string, values: string[]): string[] {
  if (values.length === 0) throw new Error(`the node requirement on ${key} needs at least one value, given none`);
  return [...values];
}

/** Effect of a taint. */
export enum TaintEffect {
  /** New pods are not scheduled. */
  NO_SCHEDULE = 'NoSchedule',

  /** New pods are scheduled elsewhere if possible. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',

  /** Running pods are evicted. */
  NO_EXECUTE = 'NoExecute',
}

/**
 * Taints that the agent's pods accept.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export class Toleration {
  /** Every taint: the agent also stands on control-plane nodes, on cordoned ones and on those under pressure. */
  public static everyTaint(): Toleration {
    return new Toleration();
  }

  /** Every taint with this key, whatever its value. */
  public static exists(key: string, effect?: TaintEffect): Toleration {
    return new Toleration(key, undefined, effect);
  }

  /** Taints with this key and value. */
  public static equal(key: string, value: string, effect?: TaintEffect): Toleration {
    return new Toleration(key, value, effect);
  }

  private constructor(
    /** Key of the taint; every taint when left out. */
    public readonly key?: string,
    /** Value of the taint; any when left out. */
    public readonly value?: string,
    /** Effect of the taint; any when left out. */
    public readonly effect?: TaintEffect,
  ) {
    if (key === '') throw new Error('the key of a toleration must not be empty; for every taint there is Toleration.everyTaint()');
  }
}

/** What the scheduler does with a pod that would break a spread. */
export enum UnsatisfiableSpread {
  /** Leaves it pending. */
  DO_NOT_SCHEDULE = 'DoNotSchedule',

  /** Schedules it where it does least harm. */
  SCHEDULE_ANYWAY = 'ScheduleAnyway',
}

/**
 * Spreads the agent's pods over the values of a node label.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
 */
export interface TopologySpread {
  /** Label of nodes, such as `topology.kubernetes.io/zone`. */
  readonly topologyKey: string;

  /**
   * By how many pods two values of the label may differ, at least 1.
   *
   * @default 1
   */
  readonly maxSkew?: number;

  /**
   * What the scheduler does with a pod that would break the spread.
   *
   * @default UnsatisfiableSpread.SCHEDULE_ANYWAY
   */
  readonly whenUnsatisfiable?: UnsatisfiableSpread;
}
