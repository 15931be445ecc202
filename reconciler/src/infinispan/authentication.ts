import { createHash, randomBytes } from 'crypto';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Hash functions of Digest by their names on the wire; the later, the better. */
const ALGORITHMS: Record<string, string> = { 'MD5': 'md5', 'SHA-256': 'sha256' };

type Parameters = Record<string, string>;

export interface Challenge {
  readonly scheme: string;
  readonly parameters: Parameters;
}

/** A challenge, and how often it was answered. */
type Learned = Challenge & { answers: number };

/**
 * Says who asks: by Basic where nobody can listen, else by the best Digest that the server offers. What was learned from a
 * challenge serves the connection that it came by until the next one: behind one address there may be several servers, each of
 * which knows its own challenges only. For a new connection the last one is tried.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7616
 */
export class Authentication {
  private readonly challenges = new WeakMap<object, Learned>();
  private last?: Learned;

  public constructor(private readonly encrypted: boolean) {}

  /** What to send along with a request; nothing before the first challenge. */
  public header(connection: object, credentials: Credentials, method: string, uri: string): string | undefined {
    const challenge = this.challenges.get(connection) ?? this.last;
    if (!challenge) return undefined;
    return challenge.scheme === 'basic' ? basic(credentials) : digest(credentials, method, uri, challenge);
  }

  /** Learns from the headers of a refusal. Undefined when there is no way in common. */
  public learn(connection: object, headers: string[]): Challenge | undefined {
    const found = headers.flatMap(parseChallenges);
    const digests = found.filter(({ scheme, parameters: { algorithm = 'MD5', qop = '' } }) =>
      scheme === 'digest' && algorithm in ALGORITHMS && qop.split(/\s*,\s*/).includes('auth'));
    const best = Object.keys(ALGORITHMS).reverse().map((name) => digests.find(({ parameters: { algorithm = 'MD5' } }) => algorithm === name)).find(Boolean);
    const plain = found.find(({ scheme }) => scheme === 'basic');
    const chosen = this.encrypted ? plain ?? best : best ?? plain;
    if (chosen) this.challenges.set(connection, this.last = { ...chosen, answers: 0 });
    return chosen;
  }
}

/** Whether a refusal says that who asks is known, though not by the challenge that was answered. */
export function isStale({ parameters }: Challenge): boolean {
  return parameters.stale?.toLowerCase() === 'true';
}

function digest({ username, password }: Credentials, method: string, uri: string, challenge: Learned): string {
  const { realm = '', nonce, opaque, algorithm } = challenge.parameters;
  const hash = (...parts: string[]) => createHash(ALGORITHMS[algorithm ?? 'MD5']).update(parts.join(':')).digest('hex');
  const nc = (++challenge.answers).toString(16).padStart(8, '0');
  const cnonce = randomBytes(12).toString('hex');
  const response = hash(hash(username, realm, password), nonce, nc, cnonce, 'auth', hash(method, uri));
  const quoted = { username, realm, nonce, uri, cnonce, response, ...(opaque !== undefined && { opaque }) };
  return `Digest ${[
    ...Object.entries(quoted).map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`),
    'qop=auth', `nc=${nc}`, ...(algorithm ? [`algorithm=${algorithm}`] : []),
  ].join(', ')}`;
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
