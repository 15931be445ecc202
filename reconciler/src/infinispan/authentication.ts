import { createHash, randomBytes } from 'crypto';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Hash functions of Digest by their names on the wire; the later, the better. */
const ALGORITHMS: Record<string, string> = { 'MD5': 'md5', 'SHA-256': 'sha256' };

type Parameters = Record<string, string>;

interface Challenge {
  readonly scheme: string;
  readonly parameters: Parameters;
}

/**
 * Says who asks: by Basic where nobody can listen, else by the best Digest that the server offers. What was learned from one
 * challenge serves until the next.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616
 */
export class Authentication {
  private challenge?: Challenge;
  private count = 0;

  public constructor(private readonly encrypted: boolean) {}

  /** What to send along with a request; nothing before the first challenge. */
  public header(credentials: Credentials, method: string, uri: string): string | undefined {
    if (!this.challenge) return undefined;
    return this.challenge.scheme === 'basic' ? basic(credentials) : this.digest(credentials, method, uri, this.challenge.parameters);
  }

  /** Learns from the headers of a refusal. False when there is no way in common. */
  public learn(headers: string[]): boolean {
    const challenges = headers.flatMap(parseChallenges);
    const digests = challenges.filter(({ scheme, parameters: { algorithm = 'MD5', qop = '' } }) =>
      scheme === 'digest' && algorithm in ALGORITHMS && qop.split(/\s*,\s*/).includes('auth'));
    const best = Object.keys(ALGORITHMS).reverse().map((name) => digests.find(({ parameters: { algorithm = 'MD5' } }) => algorithm === name)).find(Boolean);
    const plain = challenges.find(({ scheme }) => scheme === 'basic');
    this.challenge = this.encrypted ? plain ?? best : best ?? plain;
    this.count = 0;
    return this.challenge !== undefined;
  }

  private digest({ username, password }: Credentials, method: string, uri: string, { realm = '', nonce, opaque, algorithm }: Parameters): string {
    const hash = (...parts: string[]) => createHash(ALGORITHMS[algorithm ?? 'MD5']).update(parts.join(':')).digest('hex');
    const nc = (++this.count).toString(16).padStart(8, '0');
    const cnonce = randomBytes(12).toString('hex');
    const response = hash(hash(username, realm, password), nonce, nc, cnonce, 'auth', hash(method, uri));
    const quoted = { username, realm, nonce, uri, cnonce, response, ...(opaque !== undefined && { opaque }) };
    return `Digest ${[
      ...Object.entries(quoted).map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`),
      'qop=auth', `nc=${nc}`, ...(algorithm ? [`algorithm=${algorithm}`] : []),
    ].join(', ')}`;
  }
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A value of `WWW-Authenticate`, which may hold several challenges. */
export function parseChallenges(header: string): Challenge[] {
  const found: { scheme: string; parameters: Parameters }[] = [];
  for (const [, scheme, name, quoted, token] of header.matchAll(/(?:^|,)\s*(?:([\w-]+)(?:\s+|(?=,|$)))?(?:([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g)) {
    if (scheme) found.push({ scheme: scheme.toLowerCase(), parameters: {} });
    if (name) Object.assign(found.at(-1)?.parameters ?? {}, { [name.toLowerCase()]: quoted?.replace(/\\(.)/g, '$1') ?? token });
  }
  return found;
}
