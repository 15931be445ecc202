import { Duration } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import { OpaRemote } from './opa-remote';

/** What downloads of policies share. */
export interface OpaDownload extends OpaRemote {
  /**
   * The paths of OPA's data tree that the download owns, exactly as the `roots` in the manifest of the bundle say:
   * `['authz']`, say, or `['']` for everything (a bundle without stated roots owns everything). What a bundle owns, it
   * erases when it is activated, so nothing else may stand there; what it does not own, only authorization protects.
   *
   * @see https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
   */
  readonly roots: string[];

  /**
   * Keep the last download in the pod, for restarts of the container while the server is down.
   *
   * @default false
   */
  readonly persist?: boolean;

  /**
   * Shortest time between two downloads, in whole seconds.
   *
   * @default - OPA's (60 seconds), or `pollingMax` if that is less
   */
  readonly pollingMin?: Duration;

  /**
   * Longest time between two downloads, in whole seconds.
   *
   * @default - OPA's (120 seconds), or `pollingMin` if that is more
   */
  readonly pollingMax?: Duration;

  /**
   * Refuse downloads without a valid signature.
   *
   * @default - signatures are not looked at
   */
  readonly signing?: OpaSigning;
}

/**
 * How the signature of a download is verified. Exactly one of `publicKey` and `secretKey` must be given.
 *
 * @see https://www.openpolicyagent.org/docs/management-bundles#signing
 */
export interface OpaSigning {
  /** Id of the key. */
  readonly keyId: string;

  /**
   * Public key, PEM.
   *
   * @default - none
   */
  readonly publicKey?: string;

  /**
   * Shared key of an HMAC algorithm, from a Secret (`EnvValue.fromSecretValue`). OPA reads it as it stands, so it must have
   * no quotes, backslashes or line breaks.
   *
   * @default - none
   */
  readonly secretKey?: EnvValue;

  /**
   * Algorithm of the signature, such as `RS256`, `ES256` or `HS256`.
   *
   * @default - RS256 with `publicKey`, HS256 with `secretKey`
   */
  readonly algorithm?: string;

  /**
   * Scope that the signature must state.
   *
   * @default - not looked at
   */
  readonly scope?: string;
}

/** A bundle of policies and data, downloaded and kept up to date by each agent. */
export interface OpaBundle extends OpaDownload {
  /**
   * Largest accepted size of the download, in bytes.
   *
   * @default - OPA's (1 GiB)
   */
  readonly sizeLimitBytes?: number;
}

/**
 * A bundle that configures OPA. Its `roots` are those of the bundle itself and of all bundles that it names.
 *
 * @see https://www.openpolicyagent.org/docs/management-discovery
 */
export interface OpaDiscovery extends OpaDownload {
  /**
   * Path of the configuration in the bundle.
   *
   * @default - the bundle's root
   */
  readonly decision?: string;
}
