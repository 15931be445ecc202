import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheAcknowledgement } from './cache-acknowledgement';
import { CacheClusterBase } from './cache-cluster-base';
import { CacheClusterProps } from './cache-cluster-props';
import { CacheCounterOptions } from './cache-counter-options';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { stateFacts } from './cluster-facts';
import { checkAtSynth } from './cluster-resource';
import { CacheConfiguration } from './configuration/cache-configuration';
import { ExistingCacheCluster } from './existing-cache-cluster';
import { ExistingCacheClusterOptions } from './existing-cache-cluster-options';
import { checkServerName } from './names';
import { configMapManifest, overlayManifest } from './objects/config-map';
import { infinispanManifest, overlayName } from './objects/infinispan';
import { disruptionBudgetManifest, networkPolicyManifest } from './objects/safeguards';
import { serviceMonitorManifest } from './objects/service-monitor';
import { serviceManifests } from './objects/services';
import { statefulSetManifest } from './objects/stateful-set';
import { PreviousManifest } from './previous-manifest';
import { refuseCacheCluster } from './refusals';
import { counterElement } from './server/counter-element';
import { StaticDefinitions } from './server/static-definitions';
import { CacheClusterSettings, cacheClusterSettings } from './settings';
import { StaticCachesCheck } from './static-caches-check';
import { locateErrors } from '../private/messages';
import { emit, Manifest, ObjectOverrides } from '../private/objects';

/**
 * An Infinispan cluster: servers that keep entries of caches in memory, each on several of them.
 *
 * Every object is a raw `ApiObject`: patches on it are in wire form.
 */
export class CacheCluster extends CacheClusterBase {
  /**
   * A cluster that was made elsewhere: in another app, by hand, or by a Helm chart.
   *
   * @param clusterName Name of the cluster, and of its Service.
   */
  public static fromName(scope: Construct, id: string, clusterName: string, options: ExistingCacheClusterOptions = {}): CacheClusterBase {
    return new ExistingCacheCluster(scope, id, clusterName, options);
  }

  public readonly clusterName: string;
  public readonly namespace?: string;
  public readonly deploymentMode: CacheDeploymentMode;

  /** The `Infinispan` resource, or the StatefulSet. */
  public readonly resource: ApiObject;

  /** The ConfigMap of the servers' configuration: all of it in a StatefulSet, `serverConfiguration` with the operator. */
  public readonly configMap?: ApiObject;

  /** The Service that clients use, in a StatefulSet. The operator makes its own. */
  public readonly service?: ApiObject;

  /** The disruption budget, in a StatefulSet. */
  public readonly disruptionBudget?: ApiObject;

  /** The NetworkPolicy, in a StatefulSet. */
  public readonly networkPolicy?: ApiObject;

  /** The ServiceMonitor, if one was asked for, in a StatefulSet. */
  public readonly serviceMonitor?: ApiObject;

  private readonly settings: CacheClusterSettings;
  private readonly definitions?: StaticDefinitions;
  private readonly overrides: ObjectOverrides;

  public constructor(scope: Construct, id: string, props: CacheClusterProps = {}) {
    super(scope, id);
    const { settings, overrides, previous } = locateErrors(this, () => this.resolve(id, props));
    this.settings = settings;
    this.overrides = overrides;
    this.clusterName = settings.clusterName;
    this.namespace = settings.namespace;
    this.deploymentMode = settings.mode;
    const severalClusters = settings.acknowledged.includes(CacheAcknowledgement.SEVERAL_CLUSTERS);

    if (settings.mode === CacheDeploymentMode.OPERATOR) {
      this.configMap = this.emitIfAny('ConfigMap', overlayManifest(settings, overlayName(settings)));
      this.resource = this.emit('Resource', () => infinispanManifest(settings));
    } else {
      const definitions = new StaticDefinitions();
      this.definitions = definitions;
      this.configMap = this.emit('ConfigMap', () => configMapManifest(settings, definitions));
      this.resource = this.emit('Resource', () => statefulSetManifest(settings, definitions));
      const services = Object.entries(serviceManifests(settings)).map(([name, manifest]) => this.emit(name, () => manifest));
      [this.service] = services;
      this.disruptionBudget = this.emitIfAny('DisruptionBudget', disruptionBudgetManifest(settings));
      this.networkPolicy = this.emit('NetworkPolicy', () => networkPolicyManifest(settings));
      this.serviceMonitor = this.emitIfAny('ServiceMonitor', serviceMonitorManifest(settings));
      const check = new StaticCachesCheck(settings, definitions, { configMap: this.configMap, statefulSet: this.resource }, previous);
      this.node.addValidation({ validate: () => check.errors(this) });
    }
    locateErrors(this, () => this.refuseUnusedOverrides());
    this.node.defaultChild = this.resource;
    stateFacts(this, {
      version: settings.version,
      operatorVersion: props.operatorVersion,
      authentication: settings.authentication,
      clientCredentialsSecret: props.clientCredentialsSecret,
      caSecret: props.tls && (props.tls._options.caSecret ?? props.tls._secretName),
      host: settings.host,
      definitions: this.definitions,
      previous,
      severalClusters,
    });
    checkAtSynth(this, this.resource, previous, severalClusters);
  }

  /** Labels that select the servers' pods. */
  public get podLabels(): Record<string, string> {
    return { ...this.settings.podLabels };
  }

  /**
   * Adds a configuration that caches can share. Only in a StatefulSet: no resource of the operator's stands for one.
   *
   * @param name Name of the template on the server: any text.
   */
  public addTemplate(name: string, configuration: CacheConfiguration) {
    locateErrors(this, () => this.staticDefinitions('addTemplate').add({ kind: 'template', name: checkServerName(name, 'template'), configuration }));
  }

  /**
   * Adds a counter. Only in a StatefulSet: no resource of the operator's stands for one.
   *
   * @param name Name of the counter on the server: any text.
   */
  public addCounter(name: string, options: CacheCounterOptions = {}) {
    locateErrors(this, () => this.staticDefinitions('addCounter').addCounter({ name, element: counterElement(checkServerName(name, 'counter'), options) }));
  }

  private resolve(id: string, props: CacheClusterProps) {
    const settings = cacheClusterSettings(id, Chart.of(this).namespace, props);
    refuseCacheCluster(settings);
    const previous = props.previousManifest === undefined ? undefined : PreviousManifest.read(props.previousManifest);
    return { settings, previous, overrides: new ObjectOverrides(props.objectOverrides) };
  }

  private refuseUnusedOverrides() {
    const unused = this.overrides.unusedOnes();
    if (unused) throw new Error(unused);
  }

  private emit(id: string, manifest: () => Manifest): ApiObject {
    return emit(this, id, locateErrors(this, manifest), this.overrides);
  }

  private emitIfAny(id: string, manifest: Manifest | undefined): ApiObject | undefined {
    return manifest && this.emit(id, () => manifest);
  }

  private staticDefinitions(what: string): StaticDefinitions {
    if (!this.definitions) throw new Error(`${what} is only for deploymentMode STATEFUL_SET: the operator has no resource for it; make it over REST, or by a CacheBatch`);
    return this.definitions;
  }
}
