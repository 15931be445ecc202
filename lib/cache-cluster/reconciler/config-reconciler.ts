import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import { INetworkPolicyPeer, IPodSelector, NetworkPolicyPeerConfig, PodSelectorConfig } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { configurationManifest, programManifest } from './config-maps';
import { ConfigDirection } from './config-policies';
import { ConfigReconcilerProps } from './config-reconciler-props';
import { caVolume, deploymentManifest, reconcilerMonitorManifest } from './deployment';
import { ReconciledClusterOptions } from './reconciled-cluster-options';
import { ReconcilerSettings, reconcilerSettings, Served } from './reconciler-settings';
import { roleBindingManifest, roleManifest, serviceAccountManifest } from './role';
import { ServedCluster, servedCluster } from './served-cluster';
import { locateErrors, printWarnings, warn } from '../../private/messages';
import { emit, Manifest, ObjectOverrides } from '../../private/objects';
import { podSelectorConfig } from '../../private/pod-selector';
import { ClusterFacts, factsOf, stateFacts } from '../cluster-facts';
import { claimReconciler, conflicts } from '../cluster-resource';
import { ExistingCacheCluster } from '../existing-cache-cluster';
import { ICacheCluster } from '../i-cache-cluster';

/**
 * Keeps `Cache` resources and running servers in step: a pod that follows the events of some clusters of a namespace. Without an
 * operator it also applies resources of users; counters, templates, schemas and tasks it applies in any case.
 *
 * Every object is a raw `ApiObject`: patches on it are in wire form.
 */
export class ConfigReconciler extends Construct implements IPodSelector, INetworkPolicyPeer {
  /** Name of its objects. */
  public readonly reconcilerName: string;

  /** Namespace of it, and of the clusters that it serves. Undefined when not known at synth. */
  public readonly namespace?: string;

  /** The Deployment. */
  public readonly resource: ApiObject;

  /** The ConfigMap with what it is to do. */
  public readonly configMap: ApiObject;

  /** The ConfigMap with the program, unless the image has one. */
  public readonly program?: ApiObject;

  /** The Role with what it may do. */
  public readonly role: ApiObject;

  /** The PodMonitor, if one was asked for. */
  public readonly podMonitor?: ApiObject;

  private readonly settings: ReconcilerSettings;
  private readonly served: Served = { clusters: [], definitions: [] };
  private severalClusters = false;
  private warned = false;

  public constructor(scope: Construct, id: string, props: ConfigReconcilerProps = {}) {
    super(scope, id);
    const { settings, overrides } = locateErrors(this, () => ({
      settings: reconcilerSettings(id, props.namespace ?? Chart.of(this).namespace, props),
      overrides: new ObjectOverrides(props.objectOverrides),
    }));
    this.settings = settings;
    this.reconcilerName = settings.name;
    this.namespace = settings.namespace;
    const emitOne = (child: string, manifest: () => Manifest) => emit(this, child, locateErrors(this, manifest), overrides);
    const emitIfAny = (child: string, manifest: Manifest | undefined) => manifest && emitOne(child, () => manifest);
    this.program = emitIfAny('Program', programManifest(settings));
    this.configMap = emitOne('ConfigMap', () => configurationManifest(settings, this.served));
    emitIfAny('ServiceAccount', serviceAccountManifest(settings));
    this.role = emitOne('Role', () => roleManifest(settings, this.served));
    emitOne('RoleBinding', () => roleBindingManifest(settings));
    this.resource = emitOne('Resource', () => deploymentManifest(settings));
    this.podMonitor = emitIfAny('PodMonitor', reconcilerMonitorManifest(settings));
    this.node.defaultChild = this.resource;
    locateErrors(this, () => overrides.refuseUnused());
    this.node.addValidation({ validate: () => this.errors() });
  }

  /** Labels that select its pod. */
  public get podLabels(): Record<string, string> {
    return { ...this.settings.podLabels };
  }

  /**
   * Serves a cluster that was made elsewhere: in another app, by hand, or by a Helm chart. One that is made in this app names its
   * reconciler itself (`configReconciler`).
   */
  public addCluster(cluster: ICacheCluster, options: ReconciledClusterOptions = {}) {
    locateErrors(this, () => {
      if (!(cluster instanceof ExistingCacheCluster)) {
        throw new Error(`cluster ${cluster.clusterName} is made in this app, so it must be told before anything is added to it: give it configReconciler ` +
          '(ConfigReconciling.shared) instead');
      }
      if (factsOf(cluster).applier) throw new Error(`cluster ${cluster.clusterName} has a reconciler already`);
      stateFacts(cluster, { ...factsOf(cluster), ...this._serve(cluster, factsOf(cluster), options).facts });
    });
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

  /**
   * Takes a cluster, and tells what follows for what is added to that.
   *
   * @internal
   */
  public _serve(
    cluster: ICacheCluster, facts: ClusterFacts, options: ReconciledClusterOptions,
  ): { readonly served: ServedCluster; readonly facts: Pick<ClusterFacts, 'applier'> } {
    const { clusterName } = cluster;
    if (cluster.namespace !== this.namespace) {
      const place = (namespace?: string) => namespace ? `namespace ${namespace}` : 'one that is not known at synth';
      throw new Error(`cluster ${clusterName} is in ${place(cluster.namespace)}, but its reconciler ${this.reconcilerName} in ${place(this.namespace)}: ` +
        'resources, Secrets and rights are those of one namespace');
    }
    const served = servedCluster(cluster, facts, options);
    claimReconciler(this, cluster);
    this.served.clusters.push(served);
    this.severalClusters ||= facts.severalClusters;
    if (served.caSecret) {
      const { volume, mount } = caVolume(served, this.served.clusters.length);
      this.resource.addJsonPatch(
        JsonPatch.add('/spec/template/spec/volumes/-', volume), JsonPatch.add('/spec/template/spec/containers/0/volumeMounts/-', mount),
      );
    }
    const applies = served.operator || served.direction === ConfigDirection.BOTH;
    return { served, facts: applies ? { applier: { expect: (configMap) => this.expect(clusterName, configMap) } } : {} };
  }

  private expect(cluster: string, configMap: string) {
    if (this.settings.options.definitions === false) {
      throw new Error(`definitions false of reconciler ${this.reconcilerName}: nothing would apply what is added to cluster ${cluster}; leave it out`);
    }
    this.served.definitions.push(configMap);
  }

  private errors(): string[] {
    if (this.served.clusters.length === 0 && !this.warned) {
      warn(this, 'it serves no cluster: name it in configReconciler of one, or add one by addCluster');
      this.warned = true;
    }
    printWarnings(this);
    return conflicts(this, this.severalClusters);
  }
}
