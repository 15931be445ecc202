import { randomBytes } from 'crypto';
import { Authentication, Credentials, isStale } from './authentication';
import { EventHandler, eventReader } from './event-reader';
import { AnswerTooLong, HttpAnswer, HttpClient, HttpRequest, TlsOptions } from '../http-client';

export interface InfinispanOptions {
  readonly url: string;
  readonly tls?: TlsOptions;
  /** Undefined when the server asks nobody who he is. */
  readonly credentials: () => Credentials | undefined;
}

/** What the server answered instead of what was asked for. */
export class ServerError extends Error {
  public constructor(public readonly status: number, text: string) {
    super(`the server answered ${status}: ${text.trim().slice(0, 1000)}`);
  }

  /** Whether it does not know, or not trust, who asks. */
  public get unauthorized(): boolean {
    return this.status === 401 || this.status === 403;
  }

  /** Whether the same request will be refused again. */
  public get final(): boolean {
    return [400, 409, 413, 422].includes(this.status);
  }
}

/** What a configuration is too long for to be shown. */
export const TOO_LONG = Symbol('too long');

/** How often a request is sent again with what a refusal has taught. */
const CHALLENGES = 3;
/** How often it is when the server says that it was only another one's challenge that was answered: there may be several behind an address. */
const STALE_CHALLENGES = 20;

const MEDIA_TYPES: Record<string, string> = { '<': 'application/xml', '{': 'application/json' };

/** The administration of a server by REST. */
export class InfinispanClient {
  private readonly http: HttpClient;
  private readonly authentication: Authentication;

  public constructor(private readonly options: InfinispanOptions) {
    this.http = new HttpClient(options.url, options.tls);
    this.authentication = new Authentication(this.http.encrypted);
  }

  /** Names of all caches but the server's own. */
  public async cacheNames(signal?: AbortSignal): Promise<string[]> {
    const names: string[] = JSON.parse((await this.must({ path: '/caches', signal })).text);
    return names.filter((name) => !isInternal(name));
  }

  /** The configuration of a cache as JSON; undefined when there is no cache of this name. */
  public async cache(name: string): Promise<string | typeof TOO_LONG | undefined> {
    const found = await this.configuration(name);
    return found !== undefined && found !== TOO_LONG && isTemplate(found) ? undefined : found;
  }

  /** The configuration of a cache, or of a template, as JSON: the server keeps both under one name. */
  public async configuration(name: string): Promise<string | typeof TOO_LONG | undefined> {
    const path = pathOf(name);
    let answer: HttpAnswer;
    try {
      answer = await this.ask({ path: `${path}?action=config`, headers: { accept: 'application/json' } });
    } catch (error) {
      if (error instanceof AnswerTooLong) return TOO_LONG;
      throw error;
    }
    if (answer.status === 404) return undefined;
    // Up to 15 the server stumbles over a cache that is not there.
    if (answer.status === 500 && (await this.ask({ path, method: 'HEAD' })).status === 404) return undefined;
    const parsed = JSON.parse(checked(answer).text);
    return JSON.stringify(parsed[name]);
  }

  public async createCache(name: string, configuration: string) {
    await this.must({ path: pathOf(name), method: 'POST', ...typed(configuration) });
  }

  /** Makes a cache as a template of the server says. */
  public async createCacheFrom(name: string, template: string) {
    await this.must({ path: `${pathOf(name)}?template=${encodeURIComponent(template)}`, method: 'POST' });
  }

  /** Changes what can be changed of a cache that is there. */
  public async updateCache(name: string, configuration: string) {
    await this.must({ path: pathOf(name), method: 'PUT', ...typed(configuration) });
  }

  public async removeCache(name: string) {
    await this.ifThere({ path: pathOf(name), method: 'DELETE' });
  }

  /** Whether two configurations mean the same, in whatever formats; as the server sees it. */
  public async same(first: string, second: string): Promise<boolean> {
    const boundary = randomBytes(12).toString('hex');
    // Without names of files, at which the server stumbles.
    const parts = [first, second].map((text, index) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${index}"\r\ncontent-type: ${mediaType(text)}\r\n\r\n${text}\r\n`);
    const answer = await this.ask({
      path: '/caches?action=compare',
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${parts.join('')}--${boundary}--\r\n`,
    });
    if (answer.status === 409) return false;
    checked(answer);
    return true;
  }

  /**
   * Listens until the stream ends, in whatever way. All that happens after the first event is told; before it, nothing may be.
   *
   * @param signal Ends it, too.
   */
  public async listen(handler: EventHandler, signal: AbortSignal): Promise<void> {
    const read = eventReader(handler);
    const request: HttpRequest = { path: '/container/config?action=listen&includeCurrentState=true', headers: { accept: 'application/json' }, signal };
    const response = await this.authenticated(request, async (one) => {
      const opened = await this.http.open(one);
      const { statusCode: status = 0, headers } = opened;
      const connection = opened.socket;
      if (status === 200) return { status, headers, connection, opened };
      let text = '';
      for await (const chunk of opened.setEncoding('utf8')) text = (text + chunk).slice(0, 1000);
      return { status, headers, connection, text };
    });
    if (!('opened' in response)) throw new ServerError(response.status, response.text);
    for await (const chunk of response.opened!.setEncoding('utf8')) read(chunk);
  }

  public close() {
    this.http.close();
  }

  /** Asks for what must not be refused. */
  public async must(request: HttpRequest): Promise<HttpAnswer> {
    return checked(await this.ask(request));
  }

  /** Asks for what may not be there: undefined when it is not. */
  public async ifThere(request: HttpRequest): Promise<HttpAnswer | undefined> {
    const answer = await this.ask(request);
    return answer.status === 404 ? undefined : checked(answer);
  }

  /** Any answer to a request under `/rest/v2`. */
  public async ask(request: HttpRequest): Promise<HttpAnswer> {
    return this.authenticated(request, async (one) => this.http.ask(one));
  }

  private async authenticated<T extends Omit<HttpAnswer, 'text'>>(request: HttpRequest, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    const path = `/rest/v2${request.path}`;
    const credentials = this.options.credentials();
    const authorization = credentials && ((connection: object) => this.authentication.header(connection, credentials, request.method ?? 'GET', path));
    for (let left = { unknown: CHALLENGES, stale: STALE_CHALLENGES }; ;) {
      const answer = await send({ ...request, path, ...(authorization && { authorization }) });
      const challenge = answer.status === 401 && credentials ? this.authentication.learn(answer.connection, challengesOf(answer)) : undefined;
      if (!challenge || left[isStale(challenge) ? 'stale' : 'unknown']-- === 0) return answer;
    }
  }
}

/** Whether a configuration, as the server tells it, is that of a template. */
export function isTemplate(configuration: string): boolean {
  return /^\{"[a-z-]+-configuration":/.test(configuration);
}

/** Whether the server keeps a cache for itself. */
export function isInternal(name: string): boolean {
  return name.startsWith('___');
}

function challengesOf({ headers }: Pick<HttpAnswer, 'headers'>): string[] {
  return [headers['www-authenticate'] ?? []].flat();
}

function pathOf(cache: string): string {
  return `/caches/${encodeURIComponent(cache)}`;
}

function typed(configuration: string): Pick<HttpRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': mediaType(configuration) }, body: configuration };
}

/** As the operator tells formats apart, but for what stands before the first character. */
function mediaType(configuration: string): string {
  return MEDIA_TYPES[configuration.trimStart()[0]] ?? 'application/yaml';
}

/** The answer, unless it is a refusal. */
function checked(answer: HttpAnswer): HttpAnswer {
  if (answer.status < 200 || answer.status > 299) throw new ServerError(answer.status, answer.text);
  return answer;
}
