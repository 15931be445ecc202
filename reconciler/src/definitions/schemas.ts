import { ServerObject, ServerObjects } from './server-objects';
import { InfinispanClient } from '../infinispan/infinispan-client';

interface Listed {
  readonly name: string;
  readonly error: { readonly message: string; readonly cause?: string } | null;
}

/** Protobuf schemas. The server takes wrong ones, too, and says what is wrong with them, which a later schema may cure. */
export class Schemas implements ServerObjects {
  public readonly refusal = /IPROTO\d+/;

  public constructor(private readonly server: InfinispanClient) {}

  public async read(name: string): Promise<ServerObject | undefined> {
    const all: Listed[] = JSON.parse((await this.server.must({ path: '/schemas' })).text);
    const listed = all.find((one) => one.name === name);
    if (!listed) return undefined;
    const found = await this.server.ifThere({ path: pathOf(name), headers: { accept: 'text/plain' } });
    return found && { text: found.text, ...(listed.error && { error: listed.error.cause ?? listed.error.message }) };
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

  public async remove(name: string) {
    await this.server.ifThere({ path: pathOf(name), method: 'DELETE' });
  }
}

function pathOf(name: string): string {
  return `/schemas/${encodeURIComponent(name)}`;
}
