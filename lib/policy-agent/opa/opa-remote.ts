import { Duration } from 'cdk8s';
import { SecretKey } from '../secret-key';

/**
 * A server that OPA talks to. What stands in no field here (cloud credentials, say) is set by the engine's `config`.
 *
 * @see https://www.openpolicyagent.org/docs/configuration#services
 */
export interface OpaRemote {
  /** Address with its path, `https://…` or `http://…`, without credentials. */
  readonly url: string;

  /**
   * Bearer token for each request. Read again whenever the Secret changes.
   *
   * @default - none
   */
  readonly bearerTokenSecret?: SecretKey;

  /**
   * Certificates that verify the server's.
   *
   * @default - those of the image
   */
  readonly caSecret?: SecretKey;

  /**
   * Headers of each request. No secrets: they would stand in the manifest.
   *
   * @default - none
   */
  readonly headers?: Record<string, string>;

  /**
   * How long to wait for the headers of an answer, in whole seconds.
   *
   * @default - OPA's (10 seconds)
   */
  readonly responseHeaderTimeout?: Duration;
}
