import { createHash } from 'crypto';
import { readdirSync, readFileSync } from 'fs';
import { createServer, Server } from 'http';
import { join } from 'path';

/** The part of S3 that a reader of a bucket uses: listing objects and getting one. */
export class Bucket {
  /** Serves the files of a directory as objects. */
  public static async start(directory: string): Promise<Bucket> {
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const objects = new Map(files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(directory.length + 1), readFileSync(path)] as const;
    }));
    const bucket = new Bucket(objects);
    await new Promise<void>((resolve) => bucket.server.listen(0, '127.0.0.1', resolve));
    return bucket;
  }

  private readonly server: Server;

  private constructor(objects: Map<string, Buffer>) {
    this.server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://bucket');
      if (searchParams.get('list-type') === '2') {
        const contents = [...objects].map(([key, body]) =>
          `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>"${md5(body)}"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`);
        response.end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`);
        return;
      }
      const body = objects.get(decodeURIComponent(pathname.split('/').slice(2).join('/')));
      if (!body) return void response.writeHead(404).end();
      response.writeHead(200, { 'etag': `"${md5(body)}"`, 'content-length': body.length, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }).end(body);
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

function md5(body: Buffer): string {
  return createHash('md5').update(body).digest('hex');
}
