import { Duration } from 'cdk8s';

/** Whether clients must show a certificate. */
export enum ClientCertificates {
  /** Not asked for. */
  NONE = 'NONE',

  /** A certificate that is shown must be valid, but none need be shown. This is no mutual TLS. */
  VERIFY_IF_GIVEN = 'VERIFY_IF_GIVEN',

  /** No connection without a valid certificate (mutual TLS). Only engines that enforce it accept this. */
  REQUIRED = 'REQUIRED',
}

/** Options that every kind of TLS shares. */
export interface AgentTlsOptions {
  /**
   * Whether clients must show a certificate.
   *
   * @default ClientCertificates.NONE
   */
  readonly clientCertificates?: ClientCertificates;

  /**
   * Secret whose key `ca.crt` verifies the certificates of clients.
   *
   * @default - the Secret of the server's own certificate
   */
  readonly clientCaSecret?: string;

  /**
   * Name that clients verify in place of the host part of the address. Required with `AgentAccess.hostPort`, since
   * no certificate holds the addresses of all nodes.
   *
   * @default - clients verify the host part of the address
   */
  readonly serverName?: string;
}

/** Options of `AgentTls.fromCertificate`. */
export interface AgentCertificateOptions extends AgentTlsOptions {
  /** Name of the issuer. */
  readonly issuerName: string;

  /**
   * Kind of the issuer.
   *
   * @default 'Issuer'
   */
  readonly issuerKind?: string;

  /**
   * API group of the issuer.
   *
   * @default 'cert-manager.io'
   */
  readonly issuerGroup?: string;

  /**
   * Names in the certificate besides the Services' own and `serverName`.
   *
   * @default - none
   */
  readonly dnsNames?: string[];

  /**
   * Secret that cert-manager writes.
   *
   * @default - the agent's instance name with `-tls`
   */
  readonly secretName?: string;

  /**
   * How long a certificate is valid.
   *
   * @default - cert-manager's (90 days)
   */
  readonly duration?: Duration;

  /**
   * How long before its end a certificate is renewed.
   *
   * @default - cert-manager's (a third of its life)
   */
  readonly renewBefore?: Duration;
}

/** Where the agent's certificate comes from. The Secret's keys are `tls.crt`, `tls.key` and, for clients' CA, `ca.crt`. */
export class AgentTls {
  /** From a Secret that exists, with both `tls.crt` and `tls.key`. The pod does not start without it. */
  public static fromSecret(secretName: string, options: AgentTlsOptions = {}): AgentTls {
    if (!secretName) throw new Error('secretName of the TLS Secret must not be empty');
    return new AgentTls(options, secretName);
  }

  /**
   * From a cert-manager `Certificate` that the agent emits.
   *
   * @see https://cert-manager.io/docs/usage/certificate/
   */
  public static fromCertificate(options: AgentCertificateOptions): AgentTls {
    if (!options.issuerName) throw new Error('issuerName of the certificate must not be empty');
    return new AgentTls(options, options.secretName, options);
  }

  private constructor(
    /** @internal */
    public readonly _options: AgentTlsOptions,
    /** @internal */
    public readonly _secretName?: string,
    /** @internal */
    public readonly _certificate?: AgentCertificateOptions,
  ) {}
}
