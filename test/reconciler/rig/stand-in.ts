import { createServer, IncomingMessage, Server, ServerResponse } from 'http';
import { AddressInfo } from 'net';

/** One event as the server frames it: a line of data for each of the text, and an empty one. */
export function frame(type: string, data: string): string {
  return `event: ${type}\n${data.split('\n').map((line) => `data: ${line}\n`).join('')}\n`;
}

/** Data of an event of a schema, as servers from 16.1 send it. */
export function schemaJson(name: string, proto: string): string {
  return JSON.stringify({ schema: { name, errors: '', proto } });
}

/** Data of an event of a counter, as servers from 16.2 send it. */
export function counterJson(kind: 'strong' | 'weak', name: string): string {
  return JSON.stringify({ [`${kind}-counter`]: { 'name': name, 'initial-value': 0, 'storage': 'VOLATILE' } });
}

/** The server's own caches, which it tells of as of others. */
const INTERNAL = ['___protobuf_metadata', '___script_cache'];

/** Stands in for an Infinispan server: its framing of events, and as much of its REST as the program uses. */
export class StandIn {
  public static async start(): Promise<StandIn> {
    const standIn = new StandIn();
    await standIn.restart();
    return standIn;
  }

  public readonly caches = new Map<string, object>(INTERNAL.map((name) => [name, { 'local-cache': {} }]));
  /** What was asked for, as `GET /rest/v2/…`. */
  public readonly asked: string[] = [];
  /** Answers in the server's place, where it returns true. */
  public intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  private port = 0;
  private readonly server: Server;
  private readonly listeners = new Set<ServerResponse>();

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  public get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  public get streams(): number {
    return this.listeners.size;
  }

  public put(name: string, configuration: object = { 'local-cache': {} }) {
    const type = this.caches.has(name) ? 'update-cache' : 'create-cache';
    this.caches.set(name, configuration);
    this.emit(frame(type, this.cacheJson(name)));
  }

  public remove(name: string) {
    this.caches.delete(name);
    this.emit(frame('remove-cache', name));
  }

  /** Sends bytes to whoever listens. */
  public emit(bytes: string) {
    for (const listener of this.listeners) listener.write(bytes);
  }

  /** Ends the streams: in good order, or as a cut connection. */
  public cut(clean: boolean) {
    for (const listener of this.listeners) clean ? listener.end() : listener.destroy();
    this.listeners.clear();
  }

  public async stop() {
    const stopped = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await stopped;
  }

  /** Is there again after `stop`, at the same address and with its caches. */
  public async restart() {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  private cacheJson(name: string): string {
    return JSON.stringify({ infinispan: { 'cache-container': { caches: { [name]: this.caches.get(name) } } } });
  }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    this.asked.push(`${request.method} ${request.url}`);
    if (this.intercept?.(request, response)) return;
    // A `URL` would take the cache `..` for a way up.
    const [pathname, search = ''] = request.url!.split('?');
    if (pathname === '/rest/v2/container/config') {
      this.listen(response);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const end = (status: number, text = '') => response.writeHead(status).end(text);
    if (search === 'action=compare') {
      const [first, second] = [...body.matchAll(/\r\n\r\n(\{.*\})\r\n/g)].map(([, text]) => text);
      // What has the name of a file is another kind of part to the server, by which it stumbles.
      if (body.includes('filename=')) end(500, 'class MemoryFileUpload cannot be cast to class MemoryAttribute');
      else end(first === second ? 204 : 409);
    } else if (pathname === '/rest/v2/caches') {
      end(200, JSON.stringify([...this.caches.keys()].sort()));
    } else {
      this.answerCache(decodeURIComponent(pathname.split('/').at(-1)!), request.method!, body, end);
    }
  }

  private answerCache(name: string, method: string, body: string, end: (status: number, text?: string) => void) {
    const there = this.caches.has(name);
    const answers: Record<string, () => void> = {
      GET: () => there ? end(200, JSON.stringify({ [name]: this.caches.get(name) })) : end(500, 'config is null'),
      HEAD: () => end(there ? 204 : 404),
      POST: () => {
        if (there) return end(400, `ISPN000507: Cache ${name} already exists`);
        this.put(name, JSON.parse(body));
        end(200);
      },
      PUT: () => {
        this.put(name, JSON.parse(body));
        end(200);
      },
      DELETE: () => {
        if (there) this.remove(name);
        end(there ? 200 : 404);
      },
    };
    answers[method]();
  }

  private listen(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.listeners.add(response);
    response.on('close', () => this.listeners.delete(response));
    for (const name of [...this.caches.keys()].sort()) response.write(frame('create-cache', this.cacheJson(name)));
  }
}
