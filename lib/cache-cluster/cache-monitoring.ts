import { Duration } from 'cdk8s';

/** Options of `CacheMonitoring.serviceMonitor`. */
export interface CacheServiceMonitorOptions {
  /**
   * Secret with keys `username` and `password` of a user who may read metrics. Only in a StatefulSet; the operator has its own.
   *
   * @default - the cluster's `clientCredentialsSecret`
   */
  readonly credentialsSecret?: string;

  /**
   * Labels by which a Prometheus finds the ServiceMonitor.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * How often to scrape, in whole seconds. Only in a StatefulSet; the operator has its own.
   *
   * @default - the Prometheus server's own interval
   */
  readonly interval?: Duration;
}

/** How Prometheus finds the servers' metrics. */
export class CacheMonitoring {
  /** By a ServiceMonitor, for clusters with the Prometheus operator. */
  public static serviceMonitor(options: CacheServiceMonitorOptions = {}): CacheMonitoring {
    return new CacheMonitoring(options);
  }

  /** Not at all. The servers have their metrics all the same. */
  public static none(): CacheMonitoring {
    return new CacheMonitoring();
  }

  private constructor(
    /** @internal */
    public readonly _serviceMonitor?: CacheServiceMonitorOptions,
  ) {}
}
