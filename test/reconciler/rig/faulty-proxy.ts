import { Agent as PlainAgent, createServer as createPlainServer, IncomingMessage, request as plainRequest, Server, ServerResponse } from 'http';
import { Agent as TlsAgent, createServer as createTlsServer, request as tlsRequest } from 'https';
import { AddressInfo } from 'net';

/** What goes wrong with a request. */
export interface Fault {
  /** Answered in the peer's place. */
  readonly answer?: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };
  /** No answer comes. Whether the request reached the peer, nobody can tell from outside. */
  readonly silent?: 'before the peer has it' | 'after the peer did it';
  /** The answer ends after so many bytes: in good order, or as a cut connection. */
  readonly cut?: { readonly after: number; readonly clean: boolean };
}

export interface FaultyProxyOptions {
  readonly target: string;
  /** Authority of the target's certificate. */
  readonly ca?: string;
  /** The proxy's own. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly fault: (request: IncomingMessage) => Fault | undefined;
}

/** Stands between a client and its server, and does to requests what networks and overloaded servers do. */
export class FaultyProxy {
  public static async start(options: FaultyProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** How many faults there were. */
  public faults = 0;
  private healed = false;
  private readonly target: URL;
  private readonly agent: PlainAgent;
  private readonly server: Server;
  private readonly streams = new Set<ServerResponse>();

  private constructor(private readonly options: FaultyProxyOptions) {
    this.target = new URL(options.target);
    this.agent = this.encrypted ? new TlsAgent({ keepAlive: true, ca: options.ca }) : new PlainAgent({ keepAlive: true });
    const take = (request: IncomingMessage, response: ServerResponse) => this.take(request, response);
    this.server = options.certificate ? createTlsServer({ ...options.certificate }, take) : createPlainServer(take);
  }

  public get url(): string {
    return `${this.options.certificate ? 'https' : 'http'}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends answers that are still coming: in good order, or as cut connections. */
  public cutStreams(clean: boolean) {
    this.faults += this.streams.size;
    for (const stream of this.streams) end(stream, clean);
  }

  /** No faults from now on. */
  public heal() {
    this.healed = true;
  }

  public async stop() {
    const stopped = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await stopped;
    this.agent.destroy();
  }

  private get encrypted(): boolean {
    return this.target.protocol === 'https:';
  }

  private take(incoming: IncomingMessage, outgoing: ServerResponse) {
    const { answer, silent, cut } = (this.healed ? undefined : this.options.fault(incoming)) ?? {};
    if (answer || silent || cut) this.faults++;
    if (answer) {
      incoming.resume();
      outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body ?? '{}');
      return;
    }
    if (silent === 'before the peer has it') return;
    const request = (this.encrypted ? tlsRequest : plainRequest)({
      hostname: this.target.hostname,
      port: this.target.port,
      path: incoming.url,
      method: incoming.method,
      headers: incoming.headers,
      agent: this.agent,
    }, (response) => {
      if (silent) response.resume();
      else this.pass(response, outgoing, cut);
    });
    request.on('error', () => outgoing.destroy());
    outgoing.on('close', () => request.destroy());
    incoming.pipe(request);
  }

  private pass(response: IncomingMessage, outgoing: ServerResponse, cut: Fault['cut']) {
    outgoing.writeHead(response.statusCode!, response.headers).flushHeaders();
    this.streams.add(outgoing);
    outgoing.on('close', () => this.streams.delete(outgoing));
    let left = cut?.after ?? Infinity;
    response.on('data', (chunk: Buffer) => {
      if (outgoing.writableEnded || outgoing.destroyed) return;
      outgoing.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) end(outgoing, cut!.clean);
    });
    response.on('end', () => outgoing.end()).on('error', () => outgoing.destroy());
  }
}

function end(stream: ServerResponse, clean: boolean) {
  if (clean) stream.end();
  else stream.destroy();
}
