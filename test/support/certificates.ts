import 'reflect-metadata';
import { webcrypto } from 'crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as any);
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR = 3_600_000;

/** A certificate with its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority for one test. */
export class Authority {
  public static async create(name: string): Promise<Authority> {
    const keys = await generateKeys();
    const cert = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name: `CN=${name}`,
      notBefore: new Date(Date.now() - HOUR),
      notAfter: new Date(Date.now() + 24 * HOUR),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
    });
    return new Authority(cert, keys);
  }

  private serial = 1;

  private constructor(private readonly certificate: x509.X509Certificate, private readonly keys: webcrypto.CryptoKeyPair) {}

  /** PEM. */
  public get cert(): string {
    return this.certificate.toString('pem');
  }

  /** A certificate for a server with these names and addresses, or for a client, which may belong to an organisation. */
  public async issue(commonName: string, dnsNames: string[] = [], addresses: string[] = [], organization?: string): Promise<Certificate> {
    const alternatives = [
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ];
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: (++this.serial).toString(16).padStart(2, '0'),
      subject: `${organization ? `O=${organization}, ` : ''}CN=${commonName}`,
      issuer: this.certificate.subject,
      notBefore: new Date(Date.now() - HOUR),
      notAfter: new Date(Date.now() + 24 * HOUR),
      signingKey: this.keys.privateKey as any,
      publicKey: keys.publicKey as any,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
      ],
    });
    return { cert: certificate.toString('pem'), key: await toPem('PRIVATE KEY', 'pkcs8', keys.privateKey) };
  }
}

/** A pair of keys, PEM. */
export async function generateKeyPair(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { publicKey, privateKey } = await generateKeys();
  return { publicKey: await toPem('PUBLIC KEY', 'spki', publicKey), privateKey: await toPem('PRIVATE KEY', 'pkcs8', privateKey) };
}

async function toPem(label: string, format: 'spki' | 'pkcs8', key: webcrypto.CryptoKey): Promise<string> {
  const body = Buffer.from(await webcrypto.subtle.exportKey(format, key)).toString('base64');
  return `-----BEGIN ${label}-----\n${body.match(/.{1,64}/g)!.join('\n')}\n-----END ${label}-----\n`;
}

async function generateKeys() {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as webcrypto.CryptoKeyPair;
}
