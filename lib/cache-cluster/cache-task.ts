import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheResourceOptions } from './cache-resource-options';
import { define } from './definition';
import { ICacheCluster } from './i-cache-cluster';
import { locateErrors } from '../private/messages';

/** Options of `addTask`. */
export interface CacheTaskOptions extends CacheResourceOptions {
  /**
   * The script, with its properties in a comment at its beginning, such as `// mode=local,language=javascript`. The server needs an
   * engine for its language.
   */
  readonly script: string;
}

/** Properties for `CacheTask`. */
export interface CacheTaskProps extends CacheTaskOptions {
  /** The cluster that has the task. */
  readonly cluster: ICacheCluster;

  /**
   * Name of the task on the server.
   *
   * @default - the construct's id
   */
  readonly taskName?: string;
}

/** A script that clients may run on the servers of a cluster: a ConfigMap that the cluster's reconciler applies. */
export class CacheTask extends Construct {
  /** Name of the task on the server. */
  public readonly taskName: string;

  /** The ConfigMap. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: CacheTaskProps) {
    super(scope, id);
    const { cluster, script, taskName: name = id, labels, annotations } = props;
    this.taskName = name;
    this.resource = locateErrors(this, () => {
      if (script.trim() === '') throw new Error(`script of task ${name} must not be empty`);
      // There is no other way, so it is there.
      return define(this, cluster, { kind: 'task', name, text: script, options: { labels, annotations } })!;
    });
  }
}
