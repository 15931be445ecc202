import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { CacheConfiguration } from './configuration/cache-configuration';
import { define } from './definition';
import { ICacheCluster } from './i-cache-cluster';
import { locateErrors } from '../private/messages';

/** Options of `addTemplate`. */
export interface CacheTemplateOptions extends CacheResourceOptions {
  /** How caches that are like it behave. */
  readonly configuration: CacheConfiguration;
}

/** Properties for `CacheTemplate`. */
export interface CacheTemplateProps extends CacheTemplateOptions {
  /** The cluster that has the template. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the template on the server: any text.
   *
   * @default - the construct's id
   */
  readonly templateName?: string;
}

/**
 * A configuration that caches of a cluster share: a ConfigMap that the cluster's reconciler applies, or a part of the servers' configuration
 * in a StatefulSet without one.
 */
export class CacheTemplate extends Construct {
  /** Name of the template on the server. */
  public readonly templateName: string;

  /** The ConfigMap; undefined where it stands in the servers' configuration. */
  public readonly resource?: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheTemplateProps) {
    super(scope, id);
    const { cluster, configuration, templateName: name = id, labels, annotations } = props;
    this.templateName = name;
    this.resource = locateErrors(this, () => define(this, cluster, {
      kind: 'template',
      name,
      text: configuration.render(),
      options: { labels, annotations },
      declare: (definitions) => definitions.add({ kind: 'template', name, configuration }),
    }));
  }
}
