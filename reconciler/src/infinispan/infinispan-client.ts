import { randomBytes } from 'crypto';
import { Authentication, Credentials } from './authentication';
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
    return this.status === 400 || this.status === 409 || this.status === 422;
  }
}

/** What a configuration is too long for to be shown. */
export const TOO_LONG = Symbol('too long');

/** How often a request is sent again with what a refusal has taught: requests side by side may use up a nonce. */
const CHALLENGES = 3;

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
  public async cacheNames(): Promise<string[]> {
    const names: string[] = JSON.parse((await this.must({ path: '/caches' })).text);
    return names.filter((name) => !isInternal(name));
  }

  /** The configuration of a cache as JSON; undefined when there is no cache of this name. */
  public async cache(name: string): Promise<string | typeof TOO_LONG | undefined> {
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
    const answer = await this.ask({ path: pathOf(name), method: 'DELETE' });
    if (answer.status !== 404) checked(answer);
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
      if (status === 200) return { status, headers, opened };
      let text = '';
      for await (const chunk of opened.setEncoding('utf8')) text = (text + chunk).slice(0, 1000);
      return { status, headers, text };
    });
    if (!('opened' in response)) throw new ServerError(response.status, response.text);
    for await (const chunk of response.opened!.setEncoding('utf8')) read(chunk);
  }

  public close() {
    this.http.close();
  }

  private async must(request: HttpRequest): Promise<HttpAnswer> {
    return checked(await this.ask(request));
  }

  private async ask(request: HttpRequest): Promise<HttpAnswer> {
    return this.authenticated(request, async (one) => this.http.ask(one));
  }

  private async authenticated<T extends Pick<HttpAnswer, 'status' | 'headers'>>(request: HttpRequest, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    const path = `/rest/v2${request.path}`;
    const credentials = this.options.credentials();
    for (let challenges = 0; ; challenges++) {
      const authorization = credentials && this.authentication.header(credentials, request.method ?? 'GET', path);
      const answer = await send({ ...request, path, headers: { ...request.headers, ...(authorization && { authorization }) } });
      const challenged = answer.status === 401 && credentials && challenges < CHALLENGES;
      if (!challenged || !this.authentication.learn(challengesOf(answer))) return answer;
    }
  }
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

function checked(answer: HttpAnswer): HttpAnswer {
  if (answer.status < 200 || answer.status > 299) throw new ServerError(answer.status, answer.text);
  return answer;
}
