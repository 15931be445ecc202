import { createServer, IncomingMessage, Server, ServerResponse } from 'http';
import { AddressInfo } from 'net';

/** One event as the server frames it: a line of data for each of the text, and an empty one. */
export function frame(type: string, data: string): string {
  return `event: ${type}\n${data.split('\n').map((line) => `data: ${line}\n`).join('')}\n`;
}

/** Data of an event of a cache or a template. */
export function cacheJson(name: string, configuration: object): string {
  return JSON.stringify({ infinispan: { 'cache-container': { caches: { [name]: configuration } } } });
}

/** Data of an event of a schema, as servers from 16.1 send it. */
export function schemaJson(name: string, proto: string): string {
  return JSON.stringify({ schema: { name, errors: '', proto } });
}

/** Data of an event of a counter, as servers from 16.2 send it. */
export function counterJson(kind: 'strong' | 'weak', name: string, settings: object = {}): string {
  return JSON.stringify({ [`${kind}-counter`]: { name, 'initial-value': 0, 'storage': 'VOLATILE', ...settings } });
}

/** The server's own, which it tells of as of others. */
const INTERNAL = ['___protobuf_metadata', '___script_cache'];
const TEMPLATES = { 'org.infinispan.RESP_DIST': { 'distributed-cache-configuration': {} }, 'org.infinispan.RESP_LOCAL': { 'local-cache-configuration': {} } };

type Configurations = Map<string, object>;

/** What the servers of a cluster have in common. */
interface Cluster {
  readonly servers: Set<StandIn>;
  readonly caches: Configurations;
  readonly templates: Configurations;
  readonly counters: Configurations;
  readonly schemas: Map<string, string>;
}

export interface StandInOptions {
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default - any that is free */
  readonly port?: number;
  /** Another server of the same cluster. */
  readonly beside?: StandIn;
}

interface Answer {
  readonly status: number;
  readonly text?: string;
}

/** Stands in for an Infinispan server: its framing of events, and as much of its REST as the program uses. */
export class StandIn {
  public static async start(options: StandInOptions = {}): Promise<StandIn> {
    const standIn = new StandIn(options);
    await standIn.restart();
    return standIn;
  }

  /** What was asked for, as `GET /rest/v2/…`. */
  public readonly asked: string[] = [];
  /** Answers in the server's place, where it returns true. */
  public intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  private readonly cluster: Cluster;
  private readonly host: string;
  private port: number;
  private readonly server: Server;
  private readonly listeners = new Set<ServerResponse>();

  private constructor({ host = '127.0.0.1', port = 0, beside }: StandInOptions) {
    this.host = host;
    this.port = port;
    this.cluster = beside?.cluster ?? {
      servers: new Set(),
      caches: new Map(INTERNAL.map((name) => [name, { 'local-cache': {} }])),
      templates: new Map(Object.entries(TEMPLATES)),
      counters: new Map(),
      schemas: new Map(),
    };
    this.cluster.servers.add(this);
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  public get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  public get streams(): number {
    return this.listeners.size;
  }

  public get caches(): Configurations {
    return this.cluster.caches;
  }

  public put(name: string, configuration: object = { 'local-cache': {} }) {
    const type = this.caches.has(name) ? 'update-cache' : 'create-cache';
    this.caches.set(name, configuration);
    this.emitEverywhere(frame(type, cacheJson(name, configuration)));
  }

  public remove(name: string) {
    this.caches.delete(name);
    this.emitEverywhere(frame('remove-cache', name));
  }

  public putSchema(name: string, proto: string) {
    const type = this.cluster.schemas.has(name) ? 'update-schema' : 'create-schema';
    this.cluster.schemas.set(name, proto);
    this.emitEverywhere(frame(type, schemaJson(name, proto)));
  }

  public removeSchema(name: string) {
    this.cluster.schemas.delete(name);
    this.emitEverywhere(frame('remove-schema', name));
  }

  /** Only this server tells of it. */
  public defineCounter(name: string, definition: object) {
    this.cluster.counters.set(name, definition);
    this.emit(this.counterFrame(name));
  }

  /** Only this server tells of it. */
  public undefineCounter(name: string) {
    this.cluster.counters.delete(name);
    this.emit(frame('remove-counter', name));
  }

  /** Sends bytes to whoever listens to this server. */
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
    await new Promise<void>((resolve) => this.server.listen(this.port, this.host, resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  private emitEverywhere(bytes: string) {
    for (const server of this.cluster.servers) server.emit(bytes);
  }

  private counterFrame(name: string): string {
    const [[type, settings]] = Object.entries(this.cluster.counters.get(name)!);
    return frame('create-counter', counterJson(type === 'weak-counter' ? 'weak' : 'strong', name, settings));
  }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    this.asked.push(`${request.method} ${request.url}`);
    if (this.intercept?.(request, response)) return;
    // A `URL` would take the cache `..` for a way up.
    const [path, search = ''] = request.url!.slice('/rest/v2/'.length).split('?');
    if (path === 'container/config') {
      this.listen(response, search.includes('includeCurrentState=true'));
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const { status, text } = this.answerFor(path, new URLSearchParams(search), request.method!, body);
    response.writeHead(status).end(text);
  }

  private answerFor(path: string, search: URLSearchParams, method: string, body: string): Answer {
    const [collection, name, part]: (string | undefined)[] = path.split('/').map(decodeURIComponent);
    if (collection === 'tasks') return this.answerTask(name!, search);
    if (collection === 'schemas') return this.answerSchema(name, method, body);
    if (collection === 'counters') return this.answerCounter(name!, part, method, body);
    if (search.get('action') === 'compare') return compare(body);
    return name === undefined ? { status: 200, text: JSON.stringify([...this.caches.keys()].sort()) } : this.answerCache(name, method, body);
  }

  private answerCache(name: string, method: string, body: string): Answer {
    const found = this.caches.get(name) ?? this.cluster.templates.get(name);
    const answers: Record<string, () => Answer> = {
      GET: () => found ? { status: 200, text: JSON.stringify({ [name]: found }) } : { status: 500, text: 'config is null' },
      HEAD: () => ({ status: found ? 204 : 404 }),
      POST: () => {
        if (found) return { status: 400, text: `ISPN000507: Cache ${name} already exists` };
        this.put(name, JSON.parse(body));
        return { status: 200 };
      },
      PUT: () => {
        this.put(name, JSON.parse(body));
        return { status: 200 };
      },
      DELETE: () => {
        if (!this.caches.has(name)) return { status: 404 };
        this.remove(name);
        return { status: 200 };
      },
    };
    return answers[method]();
  }

  private answerTask(task: string, search: URLSearchParams): Answer {
    const name = search.get('param.name')!;
    const { templates } = this.cluster;
    if (task === '@@template@create') {
      templates.set(name, JSON.parse(search.get('param.configuration')!));
      this.emitEverywhere(frame('create-template', cacheJson(name, templates.get(name)!)));
    } else {
      templates.delete(name);
      this.emitEverywhere(frame('remove-template', name));
    }
    return { status: 200, text: 'null' };
  }

  private answerSchema(name: string | undefined, method: string, body: string): Answer {
    const { schemas } = this.cluster;
    if (name === undefined) return { status: 200, text: JSON.stringify([...schemas.keys()].map((one) => ({ name: one, error: null }))) };
    if (method === 'PUT') {
      this.putSchema(name, body);
      return { status: 200, text: JSON.stringify({ name, error: null }) };
    }
    if (!schemas.has(name)) return { status: 404 };
    if (method === 'GET') return { status: 200, text: schemas.get(name) };
    this.removeSchema(name);
    return { status: 204 };
  }

  private answerCounter(name: string, part: string | undefined, method: string, body: string): Answer {
    const found = this.cluster.counters.get(name);
    if (method === 'POST') {
      if (!found) this.defineCounter(name, JSON.parse(body));
      return { status: found ? 304 : 200 };
    }
    if (!found) return { status: 404 };
    if (part === 'config') return { status: 200, text: JSON.stringify(found) };
    this.undefineCounter(name);
    return { status: 204 };
  }

  /** First comes what there is: caches and templates by name, then the others. */
  private listen(response: ServerResponse, includeCurrentState: boolean) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    this.listeners.add(response);
    response.on('close', () => this.listeners.delete(response));
    if (!includeCurrentState) return;
    const { caches, templates, schemas, counters } = this.cluster;
    for (const [name, configuration] of [...caches, ...templates].sort(([a], [b]) => a < b ? -1 : 1)) {
      response.write(frame(templates.has(name) ? 'create-template' : 'create-cache', cacheJson(name, configuration)));
    }
    for (const [name, proto] of schemas) response.write(frame('create-schema', schemaJson(name, proto)));
    for (const name of counters.keys()) response.write(this.counterFrame(name));
  }
}

function compare(body: string): Answer {
  // What has the name of a file is another kind of part to the server, by which it stumbles.
  if (body.includes('filename=')) return { status: 500, text: 'class MemoryFileUpload cannot be cast to class MemoryAttribute' };
  const [first, second] = [...body.matchAll(/\r\n\r\n(\{.*\})\r\n/g)].map(([, text]) => text);
  return { status: first === second ? 204 : 409 };
}
