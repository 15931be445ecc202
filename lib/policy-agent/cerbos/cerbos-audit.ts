import { Duration } from 'cdk8s';
import { AUDIT_DIRECTORY } from './directories';

/** What is logged. */
export interface CerbosAuditOptions {
  /**
   * Each request with its caller.
   *
   * @default true
   */
  readonly accessLogs?: boolean;

  /**
   * Each decision with its input and result.
   *
   * @default true
   */
  readonly decisionLogs?: boolean;
}

/** Options of `CerbosAudit.local`. */
export interface CerbosLocalAuditOptions extends CerbosAuditOptions {
  /**
   * How long entries are kept. They end with the pod in any case.
   *
   * @default - Cerbos' (7 days)
   */
  readonly retention?: Duration;
}

/** Options of `CerbosAudit.kafka`. */
export interface CerbosKafkaAuditOptions extends CerbosAuditOptions {
  /** Addresses of brokers, `host:port`. */
  readonly brokers: string[];

  /** Topic that takes the entries. */
  readonly topic: string;
}

/**
 * Where Cerbos logs requests and decisions. What stands here in no option is set by the engine's `config`.
 *
 * @see https://docs.cerbos.dev/cerbos/latest/configuration/audit
 */
export class CerbosAudit {
  /** To the container's log. */
  public static stdout(options: CerbosAuditOptions = {}): CerbosAudit {
    return new CerbosAudit('file', { path: 'stdout' }, options);
  }

  /** To a store in the pod, which the admin API reads. */
  public static local(options: CerbosLocalAuditOptions = {}): CerbosAudit {
    return new CerbosAudit(
      'local',
      { storagePath: AUDIT_DIRECTORY, ...(options.retention && { retentionPeriod: `${options.retention.toSeconds()}s` }) },
      options,
      true,
    );
  }

  /** To Kafka. */
  public static kafka(options: CerbosKafkaAuditOptions): CerbosAudit {
    if (options.brokers.length === 0) throw new Error('brokers of the Kafka audit log must name at least one, given none');
    return new CerbosAudit('kafka', { brokers: [...options.brokers], topic: options.topic }, options);
  }

  /** To Cerbos Hub, for engines with `CerbosStorage.hub`. */
  public static hub(options: CerbosAuditOptions = {}): CerbosAudit {
    return new CerbosAudit('hub', { storagePath: AUDIT_DIRECTORY }, options, true);
  }

  /** @internal */
  public readonly _config: any;

  private constructor(
    backend: string,
    config: any,
    options: CerbosAuditOptions,
    /** @internal */
    public readonly _writesToDisk = false,
  ) {
    this._config = {
      enabled: true,
      backend,
      accessLogsEnabled: options.accessLogs ?? true,
      decisionLogsEnabled: options.decisionLogs ?? true,
      [backend]: config,
    };
  }
}
