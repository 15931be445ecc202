import { IPodSelector, NetworkPolicyPeerConfig, PodSelectorConfig } from 'cdk8s-plus-28';
import { Construct, IConstruct } from 'constructs';
import { Cache, CacheOptions } from './cache';
import { CacheCounter } from './cache-counter';
import { CacheCounterOptions } from './cache-counter-options';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { CacheSchema, CacheSchemaOptions } from './cache-schema';
import { CacheTask, CacheTaskOptions } from './cache-task';
import { CacheTemplate, CacheTemplateOptions } from './cache-template';
import { bindCacheClient } from './client/bind-client';
import { CacheClientOptions } from './client/cache-client-options';
import { ICacheCluster } from './i-cache-cluster';
import { resourceName } from './names';
import { podSelectorConfig } from '../private/pod-selector';

/** What a cluster offers, wherever it was made. */
export abstract class CacheClusterBase extends Construct implements ICacheCluster {
  public abstract readonly clusterName: string;
  public abstract readonly namespace?: string;
  public abstract readonly deploymentMode: CacheDeploymentMode;
  public abstract readonly podLabels: Record<string, string>;

  /**
   * Adds a cache.
   *
   * @param name Name of the cache on the server: any text.
   */
  public addCache(name: string, options: CacheOptions): Cache {
    return new Cache(this, this.idOf('Cache', name), { ...options, cluster: this, cacheName: name });
  }

  /**
   * Adds a configuration that caches can share. With the operator, only if the cluster has a reconciler.
   *
   * @param name Name of the template on the server: any text.
   */
  public addTemplate(name: string, options: CacheTemplateOptions): CacheTemplate {
    return new CacheTemplate(this, this.idOf('Template', name), { ...options, cluster: this, templateName: name });
  }

  /**
   * Adds a counter. With the operator, only if the cluster has a reconciler.
   *
   * @param name Name of the counter on the server: any text.
   */
  public addCounter(name: string, options: CacheCounterOptions = {}): CacheCounter {
    return new CacheCounter(this, this.idOf('Counter', name), { ...options, cluster: this, counterName: name });
  }

  /**
   * Adds a script that clients may run on the servers. Only if the cluster has a reconciler.
   *
   * @param name Name of the task on the server.
   */
  public addTask(name: string, options: CacheTaskOptions): CacheTask {
    return new CacheTask(this, this.idOf('Task', name), { ...options, cluster: this, taskName: name });
  }

  /**
   * Adds a Protobuf schema. Only with the operator, from 2.5.17, or if the cluster has a reconciler.
   *
   * @param name Name of the schema on the server, such as `sessions.proto`.
   */
  public addSchema(name: string, options: CacheSchemaOptions): CacheSchema {
    return new CacheSchema(this, this.idOf('Schema', name), { ...options, cluster: this, schemaName: name });
  }

  /**
   * Makes workloads clients: at synth, their containers get address, credentials by reference and certificates, and their pods
   * a preference for nodes with a server.
   *
   * @param workload Any construct that holds workloads, now or later.
   */
  public addClient(workload: IConstruct, options?: CacheClientOptions) {
    bindCacheClient(this, workload, options);
  }

  public toPodSelectorConfig(): PodSelectorConfig {
    return podSelectorConfig(this.podLabels, this.namespace);
  }

  public toNetworkPolicyPeerConfig(): NetworkPolicyPeerConfig {
    return { podSelector: this.toPodSelectorConfig() };
  }

  public toPodSelector(): IPodSelector | undefined {
    return this;
  }

  /** Ids of constructs know no slashes. A second one of a name gets an id of its own, so that it is refused for what it is. */
  private idOf(kind: string, name: string): string {
    const id = `${kind}-${resourceName(this.clusterName, name)}`;
    return this.node.tryFindChild(id) ? `${id}-${this.node.children.length}` : id;
  }
}
