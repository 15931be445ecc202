import { request as httpRequest } from 'http';
import { request as httpsRequest } from 'https';
import { connect, createServer } from 'net';

export interface Call {
  readonly port?: number;
  readonly socketPath?: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** TLS, and what to verify or show. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly servername?: string; readonly verify?: boolean };
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: any;
}

/** One request on a connection of its own. Rejects when no answer comes. */
export async function call({ port, socketPath, path, method, body, headers, tls }: Call): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const request = (tls ? httpsRequest : httpRequest)({
      host: '127.0.0.1',
      port,
      socketPath,
      path,
      method: method ?? (payload === undefined ? 'GET' : 'POST'),
      headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
      agent: false,
      timeout: 5000,
      ...(tls && { ca: tls.ca, cert: tls.cert, key: tls.key, servername: tls.servername ?? 'localhost', rejectUnauthorized: tls.verify ?? true }),
    }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => text += chunk).on('error', reject).on('end', () => {
        let json: any;
        try {
          json = JSON.parse(text);
        } catch {
          json = undefined;
        }
        resolve({ status: response.statusCode!, text, json });
      });
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error('timeout'))).end(payload);
  });
}

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Whether something listens on a port. */
export async function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

/** Calls until the condition holds; fails with the last thing seen. */
export async function eventually(what: string, condition: () => Promise<unknown>, seconds = 20, everyMs = 100): Promise<void> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await condition()) return;
      last = 'condition not met';
    } catch (error) {
      // Some failures no waiting mends.
      if ((error as { final?: boolean }).final) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`${what}: not within ${seconds} s (${last})`);
}
