import { hashOf } from './cache-record';
import { configurationIn, ServerEvent } from '../infinispan/event-reader';

/**
 * What the server tells of its caches from the opening of a stream until all were looked at: a cache whose mirror says the same
 * need not be read, so that a restart asks for next to nothing. Where not all that is told of a cache is the same, nothing is
 * known: a stream begins with what there is, but a change may be told before the older state that it has ended.
 */
export class Told {
  private readonly hashes = new Map<string, string | undefined>();
  private there?: Set<string>;

  public tell(event: ServerEvent) {
    const configuration = configurationIn(event);
    const hash = configuration && hashOf(configuration);
    const known = this.hashes.has(event.name);
    this.hashes.set(event.name, known && this.hashes.get(event.name) !== hash ? undefined : hash);
  }

  /** Only of these anything is known: some caches go without an event. */
  public keep(caches: Set<string>) {
    this.there = caches;
  }

  /** Of the configuration. */
  public hash(cache: string): string | undefined {
    return this.there?.has(cache) ? this.hashes.get(cache) : undefined;
  }
}
