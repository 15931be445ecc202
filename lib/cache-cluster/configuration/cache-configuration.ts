import { CacheReplication, DistributedCacheOptions, LocalCacheOptions, ClusteredCacheOptions, ReplicatedCacheOptions } from './cache-configuration-options';
import { checkOptions } from './check-options';
import { Element } from './element';
import { CacheConfigurationFormat, formatOf, RENDERERS } from './format';
import { optionElements } from './option-elements';

/**
 * How a cache behaves.
 *
 * @see https://infinispan.org/docs/stable/titles/configuring/configuring.html
 */
export class CacheConfiguration {
  /** Each entry on some servers. */
  public static distributed(options: DistributedCacheOptions = {}): CacheConfiguration {
    const { owners = 2, capacityFactor, nearLifespan } = options;
    return CacheConfiguration.clustered('distributed-cache', options, {
      'owners': owners, 'capacity-factor': capacityFactor, 'l1-lifespan': nearLifespan?.toMilliseconds(),
    }, owners === 1);
  }

  /** Each entry on every server. */
  public static replicated(options: ReplicatedCacheOptions = {}): CacheConfiguration {
    return CacheConfiguration.clustered('replicated-cache', options, {}, false);
  }

  /** Entries on the server that was asked; a change removes them from the others. */
  public static invalidation(options: ClusteredCacheOptions = {}): CacheConfiguration {
    return CacheConfiguration.clustered('invalidation-cache', options, {}, false);
  }

  /** Each server has entries of its own. */
  public static local(options: LocalCacheOptions = {}): CacheConfiguration {
    checkOptions('local-cache', options);
    return new CacheConfiguration(options.format, {
      name: 'local-cache', attributes: { statistics: options.statistics ?? true }, children: optionElements(options, false),
    }, undefined, true);
  }

  /** A configuration in YAML, JSON or XML, handed on byte for byte. The first character decides which. */
  public static raw(text: string): CacheConfiguration {
    if (text.trim() === '') throw new Error('a raw cache configuration must not be empty');
    const format = formatOf(text);
    // What the operator would take for YAML, since it looks no further.
    if (format === CacheConfigurationFormat.YAML && /^[\s\uFEFF]+[<{]/.test(text)) {
      throw new Error('a raw cache configuration in XML or JSON must begin with < or {, given spaces or a mark before: the operator would take it for YAML');
    }
    return new CacheConfiguration(format, undefined, text, false);
  }

  private static clustered(
    kind: string, options: ReplicatedCacheOptions, attributes: Element['attributes'], inOnePlace: boolean,
  ): CacheConfiguration {
    checkOptions(kind, options);
    const { replication = CacheReplication.SYNC, remoteTimeout, segments, statistics = true } = options;
    return new CacheConfiguration(options.format, {
      name: kind,
      attributes: { ...attributes, segments, 'mode': replication, 'remote-timeout': remoteTimeout?.toMilliseconds(), statistics },
      children: optionElements(options, true),
    }, undefined, inOnePlace && !options.stores?.length);
  }

  /** Format in which it is written. */
  public readonly format: CacheConfigurationFormat;

  private constructor(
    format: CacheConfigurationFormat | undefined,
    /**
     * Undefined when it is raw.
     *
     * @internal
     */
    public readonly _element: Element | undefined,
    private readonly text: string | undefined,
    /**
     * Whether a server that stops takes entries along that no other one has.
     *
     * @internal
     */
    public readonly _volatile: boolean,
  ) {
    this.format = format ?? CacheConfigurationFormat.YAML;
  }

  /** The configuration as the server gets it. */
  public render(): string {
    return this.text ?? RENDERERS[this.format](this._element!);
  }
}
