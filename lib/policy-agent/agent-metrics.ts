import { Duration } from 'cdk8s';

/** Options of `AgentMetrics.podMonitor`. */
export interface PodMonitorOptions {
  /**
   * Labels by which a Prometheus finds the PodMonitor.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * How often to scrape, in whole seconds.
   *
   * @default - the Prometheus server's own interval
   */
  readonly interval?: Duration;
}

/** How Prometheus finds the agent's metrics. */
export class AgentMetrics {
  /** By the `prometheus.io/*` annotations on the pods. */
  public static annotations(): AgentMetrics {
    return new AgentMetrics(true);
  }

  /**
   * By a PodMonitor, for clusters with the Prometheus operator.
   *
   * @see https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PodMonitor
   */
  public static podMonitor(options: PodMonitorOptions = {}): AgentMetrics {
    return new AgentMetrics(false, options);
  }

  /** Not at all. The engine serves its metrics all the same. */
  public static none(): AgentMetrics {
    return new AgentMetrics(false);
  }

  private constructor(
    /** @internal */
    public readonly _annotations: boolean,
    /** @internal */
    public readonly _podMonitor?: PodMonitorOptions,
  ) {}
}
