import { Refused, ServerObject, ServerObjects } from './server-objects';
import { InfinispanClient, isTemplate, ServerError, TOO_LONG } from '../infinispan/infinispan-client';

/** The server takes templates by the address only, and reads no longer first line of a request, in characters. */
const LONGEST_REQUEST_LINE = 4096;

/**
 * Templates of caches. What REST makes at `/caches` is a cache, whatever it is called in its configuration, so they are made and
 * removed by the server's tasks for its administration.
 */
export class Templates implements ServerObjects {
  /** That the configuration cannot be, or that a cache has the name. */
  public readonly refusal = /CacheConfigurationException|ISPN005\d{3}/;

  public constructor(private readonly server: InfinispanClient) {}

  public async read(name: string): Promise<ServerObject | undefined> {
    const found = await this.server.configuration(name);
    return found === undefined || found === TOO_LONG || !isTemplate(found) ? undefined : { text: found };
  }

  /** A template may be defined by the configuration of a cache, which the server does not take for the same. */
  public async agrees(definition: string, text: string): Promise<boolean> {
    return await this.same(definition, text) || this.same(definition, text.replace(/-configuration"/, '"'));
  }

  public async create(name: string, definition: string) {
    await this.run('create', { name, configuration: definition });
  }

  /** There is no way but another template; caches that were made from it stay as they are. */
  public async update(name: string, definition: string, text: string) {
    // One that the server cannot read must not cost the template that is there.
    await this.same(definition, definition);
    await this.remove(name);
    try {
      await this.create(name, definition);
    } catch (error) {
      await this.create(name, text);
      throw error;
    }
  }

  public async remove(name: string) {
    await this.run('remove', { name });
  }

  /** The server stumbles over what it cannot read, which can only be what was not its own. */
  private async same(definition: string, text: string): Promise<boolean> {
    try {
      return await this.server.same(definition, text);
    } catch (error) {
      if (error instanceof ServerError && error.status === 500) throw new Refused(error.message);
      throw error;
    }
  }

  private async run(task: string, parameters: Record<string, string>) {
    const given = Object.entries(parameters).map(([name, value]) => `&param.${name}=${encodeURIComponent(value)}`);
    const path = `/tasks/${encodeURIComponent(`@@template@${task}`)}?action=exec${given.join('')}`;
    const length = `POST /rest/v2${path} HTTP/1.1`.length;
    if (length > LONGEST_REQUEST_LINE) {
      throw new Refused(`the server takes a template in an address of ${LONGEST_REQUEST_LINE} characters at most, and this one needs ${length}`);
    }
    await this.server.must({ path, method: 'POST' });
  }
}
