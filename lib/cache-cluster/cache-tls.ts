/** Whether clients must show a certificate. */
export enum CacheClientCertificates {
  /** Not asked for. */
  NONE = 'None',

  /** One that an authority of the trust store has signed. */
  VALIDATE = 'Validate',

  /** One that is in the trust store itself; it also says who the client is. */
  AUTHENTICATE = 'Authenticate',
}

/** Options that every kind of TLS shares. */
export interface CacheTlsOptions {
  /**
   * Whether clients must show a certificate.
   *
   * @default CacheClientCertificates.NONE
   */
  readonly clientCertificates?: CacheClientCertificates;

  /**
   * Secret with what verifies the certificates of clients. With the operator: `trust.ca` and `trust.cert.*`, or `truststore.p12`
   * and `truststore-password`. In a StatefulSet: `ca.crt`.
   *
   * @default - none; needed when clients must show a certificate
   */
  readonly clientCertificatesSecret?: string;

  /**
   * Secret whose key `ca.crt` verifies the servers' certificates. Bound clients get it as a file.
   *
   * @default - the Secret of the certificate
   */
  readonly caSecret?: string;
}

/** TLS between clients and servers. */
export class CacheTls {
  /** From a Secret of type `kubernetes.io/tls` (with the operator also one with a keystore). */
  public static fromSecret(secretName: string, options: CacheTlsOptions = {}): CacheTls {
    if (!secretName) throw new Error('secretName of the TLS Secret must not be empty');
    return new CacheTls(secretName, undefined, options);
  }

  /**
   * From a service of the platform that issues certificates, by the name of that service, such as `service.beta.openshift.io`. Only
   * with the operator.
   */
  public static fromService(serviceName: string, secretName: string, options: CacheTlsOptions = {}): CacheTls {
    if (!serviceName || !secretName) throw new Error('serviceName and secretName of TLS from a service must not be empty');
    return new CacheTls(secretName, serviceName, options);
  }

  private constructor(
    /** @internal */
    public readonly _secretName: string,
    /** @internal */
    public readonly _serviceName: string | undefined,
    /** @internal */
    public readonly _options: CacheTlsOptions,
  ) {
    const { clientCertificates = CacheClientCertificates.NONE, clientCertificatesSecret } = _options;
    const asked = clientCertificates !== CacheClientCertificates.NONE;
    if (asked && !clientCertificatesSecret) {
      throw new Error(`clientCertificates ${clientCertificates} needs clientCertificatesSecret: there is nothing to verify them by`);
    }
    if (!asked && clientCertificatesSecret) {
      throw new Error(`clientCertificatesSecret ${clientCertificatesSecret} has no effect with clientCertificates None: leave one of both out`);
    }
  }
}
