import { execFileSync } from 'child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { createServer, IncomingHttpHeaders, Server } from 'http';
import { tmpdir } from 'os';
import { dirname, join } from 'path';
import { gunzipSync } from 'zlib';
import { OPA } from './programs';

/** Makes a bundle by `opa build` from files; `.manifest` among them states roots. */
export function buildBundle(files: Record<string, string>, extraArgs: string[] = []): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'files', path)), { recursive: true });
      writeFileSync(join(folder, 'files', path), text);
    }
    const args = extraArgs.map((arg) => arg.replace('FILES', join(folder, 'files')));
    execFileSync(OPA, ['build', '-b', join(folder, 'files'), '-o', join(folder, 'bundle.tar.gz'), ...args], { stdio: 'pipe' });
    return readFileSync(join(folder, 'bundle.tar.gz'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What was posted to the server. */
export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: any;
}

/** A server of bundles that also takes decision logs and status. */
export class BundleServer {
  public static async start(): Promise<BundleServer> {
    const server = new BundleServer();
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** What is served, by path. Anything else is 404. */
  public readonly bundles: Record<string, Buffer> = {};
  public readonly posts: Post[] = [];
  /** If set, requests must show it. */
  public token?: string;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
        if (this.token && request.headers.authorization !== `Bearer ${this.token}`) {
          response.writeHead(401).end();
        } else if (request.method === 'POST') {
          const body = Buffer.concat(chunks);
          const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
          this.posts.push({ path: request.url!, headers: request.headers, json: JSON.parse(text) });
          response.end('{}');
        } else if (this.bundles[request.url!]) {
          response.writeHead(200, { 'content-type': 'application/gzip' }).end(this.bundles[request.url!]);
        } else {
          response.writeHead(404).end();
        }
      });
    });
  }

  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  public async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
