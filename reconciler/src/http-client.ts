import { Agent as PlainAgent, IncomingHttpHeaders, IncomingMessage, request as plainRequest } from 'http';
import { Agent as TlsAgent, request as tlsRequest } from 'https';

/** A certificate authority, and what to show. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

export interface HttpRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** What to say of who asks, known only when it is known by which connection. */
  readonly authorization?: (connection: object) => string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** By which it came. */
  readonly connection: object;
  readonly text: string;
}

/** After so long without an answer a request fails; streams may be silent for ever. */
const ANSWER_MS = 20_000;
/** What stands still for so long is asked by the kernel whether it lives. */
const KEEP_ALIVE_MS = 15_000;
/** More than the largest object that Kubernetes stores, in any escaping. */
const LONGEST_ANSWER = 8 * 1024 * 1024;

/** Node's own client, which needs a quarter less memory than others. */
export class HttpClient {
  private readonly url: URL;
  private readonly agent: PlainAgent;
  private readonly streams: PlainAgent;

  public constructor(url: string, private readonly tls: TlsOptions = {}) {
    this.url = new URL(url);
    const make = (maxSockets: number) => {
      const options = { keepAlive: true, maxSockets };
      return this.encrypted ? new TlsAgent({ ...options, ...tls }) : new PlainAgent(options);
    };
    this.agent = make(8);
    // A stream holds its connection, so it must not take one from the requests.
    this.streams = make(Infinity);
  }

  public get encrypted(): boolean {
    return this.url.protocol === 'https:';
  }

  /** The whole answer. */
  public async ask(request: HttpRequest): Promise<HttpAnswer> {
    const response = await this.send(request, this.agent, ANSWER_MS);
    const connection = response.socket;
    const text = await readAll(response);
    return { status: response.statusCode!, headers: response.headers, connection, text };
  }

  /** An answer whose body is read as it comes, for as long as it comes. */
  public async open(request: HttpRequest): Promise<IncomingMessage> {
    const response = await this.send(request, this.streams, ANSWER_MS);
    response.socket.setTimeout(0).setKeepAlive(true, KEEP_ALIVE_MS);
    return response;
  }

  /** Closes what is idle; what is under way ends by its signal. */
  public close() {
    this.agent.destroy();
    this.streams.destroy();
  }

  private async send(request: HttpRequest, agent: PlainAgent, timeout: number, mayRepeat = true): Promise<IncomingMessage> {
    const { path, method = 'GET', headers, body, signal, authorization } = request;
    return new Promise((resolve, reject) => {
      const outgoing = (this.encrypted ? tlsRequest : plainRequest)({
        // An address of IPv6 stands in brackets in a URL only.
        hostname: this.url.hostname.replace(/^\[|\]$/g, ''),
        port: this.url.port,
        path: `${this.url.pathname.replace(/\/$/, '')}${path}`,
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        agent,
        timeout,
        signal,
        ...(this.encrypted && this.tls),
      }, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within ${timeout / 1000} s`)));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The peer closed an idle connection while it was taken up again: the request has not reached it.
        if (mayRepeat && outgoing.reusedSocket && error.code === 'ECONNRESET') {
          this.send(request, agent, timeout, false).then(resolve, reject);
        } else {
          reject(error);
        }
      });
      outgoing.on('socket', (socket) => {
        const said = authorization?.(socket);
        if (said !== undefined) outgoing.setHeader('authorization', said);
        outgoing.end(body);
      });
    });
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new AnswerTooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The answer is longer than 8 MiB. */
export class AnswerTooLong extends Error {
  public constructor() {
    super(`answer is longer than ${LONGEST_ANSWER} bytes`);
  }
}
