import { CacheConfigListenerOptions } from '../cache-config-listener';
import type { ConfigReconciler } from './config-reconciler';
import { OwnConfigReconcilerOptions } from './config-reconciler-props';
import { ReconciledClusterOptions } from './reconciled-cluster-options';

/** Who keeps `Cache` resources and the servers of a cluster in step. */
export class ConfigReconciling {
  /** A `ConfigReconciler` for this cluster alone. */
  public static own(options: OwnConfigReconcilerOptions = {}): ConfigReconciling {
    return new ConfigReconciling({ own: options });
  }

  /** A `ConfigReconciler` that serves several clusters of a namespace. */
  public static shared(reconciler: ConfigReconciler, options: ReconciledClusterOptions = {}): ConfigReconciling {
    return new ConfigReconciling({ shared: { reconciler, options } });
  }

  /**
   * The operator's own listener: a pod that makes a `Cache` resource for each cache that clients make. It may then run commands in
   * every pod of the namespace, and read its Secrets. Only with the operator.
   */
  public static operatorListener(options: CacheConfigListenerOptions = {}): ConfigReconciling {
    return new ConfigReconciling({ listener: options });
  }

  /** Nobody: caches that clients make have no resource. The operator's listener is off. */
  public static none(): ConfigReconciling {
    return new ConfigReconciling({});
  }

  private constructor(
    /**
     * At most one of them.
     *
     * @internal
     */
    public readonly _way: {
      readonly own?: OwnConfigReconcilerOptions;
      readonly shared?: { readonly reconciler: ConfigReconciler; readonly options: ReconciledClusterOptions };
      readonly listener?: CacheConfigListenerOptions;
    },
  ) {}
}
