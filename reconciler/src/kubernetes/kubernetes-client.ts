import { KubernetesObject } from './objects';
import { ServiceAccount } from './service-account';
import { HttpAnswer, HttpClient } from '../http-client';

/** Known in an object's managed fields by this. */
export const FIELD_MANAGER = 'config-reconciler';

/** So many objects of a list are in memory at a time. */
const PAGE = 250;
/** No object is longer: the API server takes 3 MiB at most. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** What the API server answered instead of what was asked for. */
export class ApiError extends Error {
  public readonly retryAfterMs?: number;

  public constructor(public readonly status: number, message: string, retryAfterSeconds?: string) {
    super(`the API server answered ${status}: ${message}`);
    this.retryAfterMs = retryAfterSeconds === undefined ? undefined : Number(retryAfterSeconds) * 1000 || undefined;
  }
}

type Query = Record<string, string>;

interface Fields {
  readonly metadata?: object;
  readonly spec?: object;
  readonly data?: object;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: any;
}

/** The few calls of the API server that are needed. */
export class KubernetesClient {
  private readonly http: HttpClient;

  /** @param told Is called before each request, for the count of them. */
  public constructor(url: string, private readonly account: ServiceAccount, private readonly told: (verb: string) => void = () => undefined) {
    this.http = new HttpClient(url, { ca: account.ca });
  }

  /** Lists in pages, all of one version, which is returned. */
  public async list(path: string, query: Query, each: (object: any) => void): Promise<string> {
    for (let next: string | undefined; ;) {
      const search = new URLSearchParams({ ...query, limit: String(PAGE), ...(next && { continue: next }) });
      const { items, metadata } = await this.call('list', 'GET', `${path}?${search}`);
      items.forEach(each);
      next = metadata.continue;
      if (!next) return metadata.resourceVersion;
    }
  }

  /** Watches from a version on, until the stream ends or the signal comes. */
  public async watch(path: string, query: Query, each: (event: WatchEvent) => void, signal: AbortSignal): Promise<void> {
    this.told('watch');
    const search = new URLSearchParams({ ...query, watch: 'true', allowWatchBookmarks: 'true' });
    const response = await this.http.open({ path: `${path}?${search}`, headers: this.headers(), signal });
    let pending: string[] = [];
    let length = 0;
    for await (const chunk of response.setEncoding('utf8')) {
      length += chunk.length;
      if (length > LONGEST_LINE) throw new Error(`a line of the watch of ${path} is longer than ${LONGEST_LINE} characters`);
      pending.push(chunk);
      if (!chunk.includes('\n')) continue;
      const lines = pending.join('').split('\n');
      pending = [lines.pop()!];
      length = pending[0].length;
      if (response.statusCode === 200) lines.forEach((line) => each(JSON.parse(line)));
    }
    if (response.statusCode !== 200) throw errorOf(response.statusCode!, pending.join(''), response.headers['retry-after']);
  }

  /** Makes an object, unless there is one of its name. */
  public async create<T extends KubernetesObject>(path: string, object: object): Promise<T> {
    return this.call('create', 'POST', `${path}?fieldManager=${FIELD_MANAGER}`, object);
  }

  /** Changes fields of an object that has not changed since it was read. */
  public async patch<T extends KubernetesObject>(path: string, read: ReadVersion, fields: Fields): Promise<T> {
    const body = { ...fields, metadata: { ...fields.metadata, resourceVersion: read.resourceVersion } };
    return this.call('patch', 'PATCH', `${path}/${read.name}?fieldManager=${FIELD_MANAGER}`, body, 'application/merge-patch+json');
  }

  /**
   * States by server-side apply what of an object is ours; the rest is left alone. Only of one that is there, and has not changed
   * since it was read.
   *
   * @param manager Of these fields: what it stated before and does no more is removed.
   */
  public async apply<T extends KubernetesObject>(path: string, read: ReadVersion, manager: string, stated: object, subresource = ''): Promise<T> {
    const { metadata, ...rest } = stated as { metadata?: object };
    // Without the id, one that is gone would be made anew, of what is stated here and no more.
    const body = { ...rest, metadata: { ...metadata, name: read.name, uid: read.uid, resourceVersion: read.resourceVersion } };
    return this.call('apply', 'PATCH', `${path}/${read.name}${subresource}?fieldManager=${manager}&force=true`, body, 'application/apply-patch+yaml');
  }

  /** Removes an object that has not changed since it was read. What is gone already is well. */
  public async remove(path: string, read: ReadVersion): Promise<void> {
    try {
      await this.call('delete', 'DELETE', `${path}/${read.name}`, { preconditions: { uid: read.uid, resourceVersion: read.resourceVersion } });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  public close() {
    this.http.close();
  }

  private async call(verb: string, method: string, path: string, body?: object, type = 'application/json'): Promise<any> {
    this.told(verb);
    const answer: HttpAnswer = await this.http.ask({
      path, method, headers: { ...this.headers(), ...(body && { 'content-type': type }) }, ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status < 200 || answer.status > 299) throw errorOf(answer.status, answer.text, answer.headers['retry-after']);
    return JSON.parse(answer.text);
  }

  private headers(): Record<string, string> {
    return { 'accept': 'application/json', 'authorization': `Bearer ${this.account.token}`, 'user-agent': FIELD_MANAGER };
  }
}

/** An object as it was read. */
export interface ReadVersion {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

function errorOf(status: number, text: string, retryAfter?: string): ApiError {
  let message = text.slice(0, 500);
  try {
    message = JSON.parse(text).message ?? message;
  } catch {
    // Not from the API server itself, then.
  }
  return new ApiError(status, message, retryAfter);
}
