import { Duration } from 'cdk8s';
import { SecretKey } from '../secret-key';

/** Options of `CerbosStorage.git`. */
export interface CerbosGitOptions {
  /** Address of the repository: `https://…`, or `ssh://…` with `sshKeySecret`. Without credentials. */
  readonly url: string;

  /**
   * Branch with the policies.
   *
   * @default - Cerbos' ('main')
   */
  readonly branch?: string;

  /**
   * Folder with the policies.
   *
   * @default - the root of the repository
   */
  readonly subDir?: string;

  /**
   * How often to look for changes.
   *
   * @default Duration.minutes(1)
   */
  readonly updatePollInterval?: Duration;

  /**
   * User name for `passwordSecret` or `sshKeySecret`.
   *
   * @default 'git'
   */
  readonly username?: string;

  /**
   * Password or token for HTTPS.
   *
   * @default - none
   */
  readonly passwordSecret?: SecretKey;

  /**
   * Private key for SSH, PEM.
   *
   * @default - none
   */
  readonly sshKeySecret?: SecretKey;
}

/** Options of `CerbosStorage.blob`. Credentials come from the engine's `environment` or the pod's service account. */
export interface CerbosBlobOptions {
  /** Bucket, such as `s3://policies?region=eu-west-1`, `gs://policies` or `azblob://policies`. */
  readonly bucket: string;

  /**
   * Prefix of the policies in the bucket.
   *
   * @default - none
   */
  readonly prefix?: string;

  /**
   * How often to look for changes.
   *
   * @default Duration.minutes(1)
   */
  readonly updatePollInterval?: Duration;
}

/** Options of `CerbosStorage.postgres` and `CerbosStorage.mysql`. */
export interface CerbosDatabaseOptions {
  /**
   * How often to try before giving up when the database does not answer at start.
   *
   * @default 10
   */
  readonly maxAttempts?: number;
}

/** Options of `CerbosStorage.hub`. */
export interface CerbosHubOptions {
  /** Id of the deployment whose policies are followed. */
  readonly deploymentId: string;

  /** Client id. */
  readonly clientIdSecret: SecretKey;

  /** Client secret. */
  readonly clientSecretSecret: SecretKey;
}
