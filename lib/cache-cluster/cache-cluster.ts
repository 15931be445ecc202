import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheAcknowledgement } from './cache-acknowledgement';
import { CacheClusterBase } from './cache-cluster-base';
import { CacheClusterProps } from './cache-cluster-props';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { ClusterFacts, stateFacts } from './cluster-facts';
import { checkAtSynth } from './cluster-resource';
import { ExistingCacheCluster } from './existing-cache-cluster';
import { ExistingCacheClusterOptions } from './existing-cache-cluster-options';
import { configMapManifest, overlayManifest } from './objects/config-map';
import { infinispanManifest, overlayName } from './objects/infinispan';
import { disruptionBudgetManifest, networkPolicyManifest } from './objects/safeguards';
import { serviceMonitorManifest } from './objects/service-monitor';
import { serviceManifests } from './objects/services';
import { statefulSetManifest } from './objects/stateful-set';
import { PreviousManifest } from './previous-manifest';
import { ConfigReconciler } from './reconciler/config-reconciler';
import { ConfigReconciling } from './reconciler/config-reconciling';
import { ReconciledClusterOptions } from './reconciler/reconciled-cluster-options';
import { portOf } from './reconciler/served-cluster';
import { refuseCacheCluster } from './refusals';
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

  /** The reconciler, its own or a shared one, if one serves it. */
  public readonly configReconciler?: ConfigReconciler;

  private readonly settings: CacheClusterSettings;
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
    const definitions = settings.mode === CacheDeploymentMode.STATEFUL_SET ? new StaticDefinitions() : undefined;
    const facts: ClusterFacts = {
      version: settings.version,
      operatorVersion: props.operatorVersion,
      authentication: settings.authentication,
      clientCredentialsSecret: props.clientCredentialsSecret,
      caSecret: props.tls && (props.tls._options.caSecret ?? props.tls._secretName),
      host: settings.host,
      adminHost: settings.adminHost,
      definitions,
      previous,
      severalClusters,
    };
    this.configReconciler = this.reconcilerFor(props.configReconciler);
    const reconciled = locateErrors(this, () => this.configReconciler?._serve(this, facts, servedOptions(props.configReconciler)));
    stateFacts(this, { ...facts, ...reconciled?.facts });

    if (!definitions) {
      this.configMap = this.emitIfAny('ConfigMap', overlayManifest(settings, overlayName(settings)));
      this.resource = this.emit('Resource', () => infinispanManifest(settings));
      if (reconciled) this.node.addValidation({ validate: () => twoWriters(this.resource) });
    } else {
      this.configMap = this.emit('ConfigMap', () => configMapManifest(settings, definitions));
      this.resource = this.emit('Resource', () => statefulSetManifest(settings, definitions));
      const services = Object.entries(serviceManifests(settings)).map(([name, manifest]) => this.emit(name, () => manifest));
      [this.service] = services;
      this.disruptionBudget = this.emitIfAny('DisruptionBudget', disruptionBudgetManifest(settings));
      const access = reconciled && { podLabels: this.configReconciler!.podLabels, port: portOf(reconciled.served) };
      this.networkPolicy = this.emit('NetworkPolicy', () => networkPolicyManifest(settings, access));
      this.serviceMonitor = this.emitIfAny('ServiceMonitor', serviceMonitorManifest(settings));
      const check = new StaticCachesCheck(settings, definitions, { configMap: this.configMap, statefulSet: this.resource }, previous);
      this.node.addValidation({ validate: () => check.errors(this) });
    }
    locateErrors(this, () => this.overrides.refuseUnused());
    this.node.defaultChild = this.resource;
    checkAtSynth(this, this.resource, previous, severalClusters);
  }

  /** Labels that select the servers' pods. */
  public get podLabels(): Record<string, string> {
    return { ...this.settings.podLabels };
  }

  private resolve(id: string, props: CacheClusterProps) {
    const settings = cacheClusterSettings(id, Chart.of(this).namespace, props);
    refuseCacheCluster(settings);
    const previous = props.previousManifest === undefined ? undefined : PreviousManifest.read(props.previousManifest);
    return { settings, previous, overrides: new ObjectOverrides(props.objectOverrides) };
  }

  private reconcilerFor(reconciling?: ConfigReconciling): ConfigReconciler | undefined {
    const { own, shared } = reconciling?._way ?? {};
    if (!own) return shared?.reconciler;
    return new ConfigReconciler(this, 'ConfigReconciler', { reconcilerName: `${this.clusterName}-reconciler`, ...own, namespace: this.namespace });
  }

  private emit(id: string, manifest: () => Manifest): ApiObject {
    return emit(this, id, locateErrors(this, manifest), this.overrides);
  }

  private emitIfAny(id: string, manifest: Manifest | undefined): ApiObject | undefined {
    return manifest && this.emit(id, () => manifest);
  }
}

function servedOptions(reconciling?: ConfigReconciling): ReconciledClusterOptions {
  const { own, shared } = reconciling?._way ?? {};
  return own ?? shared?.options ?? {};
}

/** An override may have switched the operator's listener on. */
function twoWriters(infinispan: ApiObject): string[] {
  const on = infinispan.toJson().spec?.configListener?.enabled !== false;
  return on ? [`spec.configListener.enabled of Infinispan ${infinispan.name} must be false: its ConfigReconciler and the operator's listener would fight`] : [];
}
