import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheCounterOptions } from './cache-counter-options';
import { toJson } from './configuration/element';
import { define } from './definition';
import { ICacheCluster } from './i-cache-cluster';
import { counterElement } from './server/counter-element';
import { locateErrors } from '../private/messages';

/** Properties for `CacheCounter`. */
export interface CacheCounterProps extends CacheCounterOptions {
  /** The cluster that has the counter. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the counter on the server: any text.
   *
   * @default - the construct's id
   */
  readonly counterName?: string;
}

/** A counter of a cluster: a ConfigMap that the cluster's reconciler applies, or a part of the servers' configuration in a StatefulSet without one. */
export class CacheCounter extends Construct {
  /** Name of the counter on the server. */
  public readonly counterName: string;

  /** The ConfigMap; undefined where it stands in the servers' configuration. */
  public readonly resource?: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheCounterProps) {
    super(scope, id);
    const { cluster, counterName: name = id, labels, annotations, updates } = props;
    this.counterName = name;
    this.resource = locateErrors(this, () => {
      const { attributes: { name: _, ...attributes } = {}, ...counter } = counterElement(name, props);
      return define(this, cluster, {
        kind: 'counter',
        name,
        text: toJson({ ...counter, attributes }),
        options: { labels, annotations, updates },
        declare: (definitions) => definitions.addCounter({ name, element: counterElement(name, props) }),
      });
    });
  }
}
