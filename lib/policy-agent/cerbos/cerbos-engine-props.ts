import { Duration } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import { CerbosAudit } from './cerbos-audit';
import { CerbosStorage } from './cerbos-storage';
import { SecretKey } from '../secret-key';

/** How much Cerbos logs. */
export enum CerbosLogLevel {
  /** Everything. */
  DEBUG = 'debug',

  /** Each request, and what the server does. */
  INFO = 'info',

  /** What may go wrong. */
  WARN = 'warn',

  /** What went wrong. */
  ERROR = 'error',
}

/** What happens to requests that do not fit the schemas. */
export enum CerbosSchemaEnforcement {
  /** Schemas are not looked at. */
  NONE = 'none',

  /** The answer names the errors. */
  WARN = 'warn',

  /** Every action is denied. */
  REJECT = 'reject',
}

/**
 * The API that lists and changes policies. Open to everyone who can reach the port and knows the password.
 *
 * @see https://docs.cerbos.dev/cerbos/latest/api/admin_api
 */
export interface CerbosAdminApi {
  /** User name. */
  readonly username: string;

  /** The password's bcrypt hash, in base64. */
  readonly passwordHashSecret: SecretKey;
}

/** Properties for `CerbosEngine`. */
export interface CerbosEngineProps {
  /** Where Cerbos takes its policies from. */
  readonly storage: CerbosStorage;

  /**
   * Reference of the image, by tag or digest.
   *
   * @default 'ghcr.io/cerbos/cerbos:0.55.0'
   */
  readonly image?: string;

  /**
   * Path of the program in the image.
   *
   * @default '/cerbos'
   */
  readonly binaryPath?: string;

  /**
   * Where requests and decisions are logged.
   *
   * @default - nowhere
   */
  readonly audit?: CerbosAudit;

  /**
   * What happens to requests that do not fit the schemas.
   *
   * @default CerbosSchemaEnforcement.NONE
   */
  readonly schemaEnforcement?: CerbosSchemaEnforcement;

  /**
   * The API that lists and changes policies.
   *
   * @default - closed
   */
  readonly adminApi?: CerbosAdminApi;

  /**
   * Let Cerbos send anonymous figures on its use to its makers.
   *
   * @default false
   */
  readonly telemetry?: boolean;

  /**
   * How long a gRPC connection may last. Clients connect anew then, and so reach replicas that came later.
   *
   * @default - Cerbos' (10 minutes)
   */
  readonly maxConnectionAge?: Duration;

  /**
   * JSON merge patch over the generated configuration. `${VARIABLE}` is replaced by Cerbos; a literal `$` is written
   * `$$`. Addresses, TLS, the admin API and telemetry have props of their own.
   *
   * @default - none
   * @see https://docs.cerbos.dev/cerbos/latest/configuration
   */
  readonly config?: any;

  /**
   * Variables of the container.
   *
   * @default - NODE_NAME, POD_NAME and POD_NAMESPACE
   */
  readonly environment?: Record<string, EnvValue>;

  /**
   * How much Cerbos logs.
   *
   * @default CerbosLogLevel.INFO
   */
  readonly logLevel?: CerbosLogLevel;

  /**
   * Port of the HTTP API, health and metrics.
   *
   * @default 3592
   */
  readonly httpPort?: number;

  /**
   * Port of the gRPC API.
   *
   * @default 3593
   */
  readonly grpcPort?: number;
}
