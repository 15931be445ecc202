import { ServerObject, ServerObjects } from './server-objects';
import { InfinispanClient } from '../infinispan/infinispan-client';

/** Scripts, for which the server needs an engine of their language. Their text says the language in its first line. */
export class Tasks implements ServerObjects {
  /** That it does not compile. */
  public readonly refusal = /ISPN0275\d\d/;

  public constructor(private readonly server: InfinispanClient) {}

  public async read(name: string): Promise<ServerObject | undefined> {
    return this.server.ifThere({ path: `${pathOf(name)}?action=script`, headers: { accept: 'text/plain' } });
  }

  public async agrees(definition: string, text: string): Promise<boolean> {
    return definition === text;
  }

  public async create(name: string, definition: string) {
    await this.server.must({ path: pathOf(name), method: 'PUT', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: definition });
  }

  public async update(name: string, definition: string) {
    await this.create(name, definition);
  }

  /** The server has no way to remove a task but for the cache that it keeps them in. */
  public async remove(name: string) {
    await this.server.ifThere({ path: `/caches/___script_cache/${encodeURIComponent(name)}`, method: 'DELETE' });
  }
}

function pathOf(name: string): string {
  return `/tasks/${encodeURIComponent(name)}`;
}
