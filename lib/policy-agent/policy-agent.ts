import { createHash } from 'crypto';
import { ApiObject, Chart } from 'cdk8s';
import { IPodSelector, LabelSelector, NetworkPolicyPeerConfig, PodSelectorConfig } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { checkBinding } from './check-binding';
import { DeploymentMode } from './deployment-mode';
import { PolicyEngineBinding } from './engine';
import { IPolicyAgent } from './i-policy-agent';
import { autoscalerManifest } from './objects/autoscaler';
import { certificateManifest } from './objects/certificate';
import { configMapManifest } from './objects/config-map';
import { disruptionBudgetManifest } from './objects/disruption-budget';
import { metricsAnnotations, podMonitorManifest } from './objects/metrics';
import { networkPolicyManifest } from './objects/network-policy';
import { priorityQuotaManifest } from './objects/priority-quota';
import { headlessServiceManifest, serviceManifest } from './objects/service';
import { workloadManifest } from './objects/workload';
import { PolicyAgentProps } from './policy-agent-props';
import { refuse, refuseCoverage } from './refusals';
import { AgentSettings, contextOf, settingsOf } from './settings';
import { CHECKSUM_ANNOTATION } from '../private/labels';
import { locateErrors, printWarnings, warn } from '../private/messages';
import { emit, Identities, Manifest, ObjectOverrides } from '../private/objects';

/**
 * A policy agent: a server that answers authorization questions of other pods, on every node or as a few replicas.
 *
 * Every object is a raw `ApiObject`: patches on it are in wire form.
 */
export class PolicyAgent extends Construct implements IPolicyAgent {
  public readonly instanceName: string;
  public readonly namespace?: string;

  /** Workload that runs the agent. */
  public readonly deploymentMode: DeploymentMode;

  /** The DaemonSet or Deployment of each role group, by the role group's name. */
  public readonly workloads: Record<string, ApiObject>;

  /** The ConfigMaps of the engine, by their names' suffix, such as `config`. */
  public readonly configMaps: Record<string, ApiObject>;

  /** The Service, if clients reach the agent by one. */
  public readonly service?: ApiObject;

  /** The headless Service, if one was asked for. */
  public readonly headlessService?: ApiObject;

  /** The ConfigMap that tells clients the agent's address. There is one when there is a Service. */
  public readonly discovery?: ApiObject;

  /** The disruption budget of all role groups, in modes that can have one. */
  public readonly disruptionBudget?: ApiObject;

  /** The autoscalers of the role groups that ask for one, by the role group's name. */
  public readonly autoscalers: Record<string, ApiObject>;

  /** The NetworkPolicy, if one was asked for. */
  public readonly networkPolicy?: ApiObject;

  /** The PodMonitor, if one was asked for. */
  public readonly podMonitor?: ApiObject;

  /** The cert-manager Certificate, if TLS comes from one. */
  public readonly certificate?: ApiObject;

  /** The ResourceQuota that a `system-*` priority class needs outside of `kube-system`. */
  public readonly priorityQuota?: ApiObject;

  private readonly settings: AgentSettings;
  private readonly overrides: ObjectOverrides;

  public constructor(scope: Construct, id: string, props: PolicyAgentProps) {
    super(scope, id);
    const { settings, binding, overrides } = locateErrors(this, () => this.resolve(id, props));
    this.settings = settings;
    this.overrides = overrides;
    this.instanceName = settings.instanceName;
    this.namespace = settings.namespace;
    this.deploymentMode = settings.mode;

    this.certificate = this.emitIfAny('Certificate', certificateManifest(settings));
    this.priorityQuota = this.emitIfAny('PriorityQuota', priorityQuotaManifest(settings));
    this.configMaps = this.emitConfigMaps(binding);
    this.workloads = this.emitWorkloads(binding);
    this.disruptionBudget = this.emitIfAny('DisruptionBudget', disruptionBudgetManifest(settings));
    this.autoscalers = this.emitAutoscalers();
    this.service = this.emitIfAny('Service', settings.service ? serviceManifest(settings, binding) : undefined);
    this.headlessService = this.emitIfAny('HeadlessService', props.headlessService ? headlessServiceManifest(settings, binding) : undefined);
    this.discovery = this.emitDiscovery(binding);
    this.networkPolicy = this.emitIfAny('NetworkPolicy', networkPolicyManifest(settings, binding));
    this.podMonitor = this.emitIfAny('PodMonitor', podMonitorManifest(settings, binding));
    locateErrors(this, () => overrides.checkAllUsed());

    this.node.defaultChild = Object.values(this.workloads)[0];
    this.warnAbout(binding);
    this.claimSocketDirectory();
    this.node.addValidation({ validate: () => this.validate() });
  }

  /** Labels that select the agent's pods, whatever workload runs them. */
  public get podLabels(): Record<string, string> {
    return { ...this.settings.selectorLabels };
  }

  public toPodSelectorConfig(): PodSelectorConfig {
    return {
      labelSelector: LabelSelector.of({ labels: this.podLabels }),
      ...(this.namespace && { namespaces: { names: [this.namespace] } }),
    };
  }

  public toNetworkPolicyPeerConfig(): NetworkPolicyPeerConfig {
    return { podSelector: this.toPodSelectorConfig() };
  }

  public toPodSelector(): IPodSelector | undefined {
    return this;
  }

  private resolve(id: string, props: PolicyAgentProps) {
    const settings = settingsOf(id, Chart.of(this).namespace, props);
    const binding = checkBinding(props.engine.engineName, props.engine.bind(contextOf(settings)));
    refuse(settings, binding);
    return { settings, binding, overrides: new ObjectOverrides(props.objectOverrides) };
  }

  private emitIfAny(id: string, manifest: Manifest | undefined): ApiObject | undefined {
    return manifest && emit(this, id, manifest, this.overrides);
  }

  private emitConfigMaps({ configMaps = [] }: PolicyEngineBinding): Record<string, ApiObject> {
    return Object.fromEntries(configMaps.map(({ suffix, data }) => {
      const manifest = locateErrors(this, () => configMapManifest(this.settings, `${this.instanceName}-${suffix}`, data));
      return [suffix, emit(this, `ConfigMap-${suffix}`, manifest, this.overrides)];
    }));
  }

  private emitWorkloads(binding: PolicyEngineBinding): Record<string, ApiObject> {
    const annotations = this.podAnnotations(binding);
    const manifests = locateErrors(this, () => {
      const all = this.settings.roleGroups.map((group) => [group.name, workloadManifest(this.settings, binding, group, annotations)] as const);
      refuseCoverage(this.settings, Object.fromEntries(all.map(([name, { spec }]) => [name, spec.template.spec])));
      return all;
    });
    return Object.fromEntries(manifests.map(([name, manifest]) => [name, emit(this, `Workload-${name}`, manifest, this.overrides)]));
  }

  /** A change of the configuration changes the pods, and so rolls them. */
  private podAnnotations(binding: PolicyEngineBinding): Record<string, string> {
    const configuration = [binding.configMaps ?? [], binding.checksums ?? []];
    return {
      [CHECKSUM_ANNOTATION]: createHash('sha256').update(JSON.stringify(configuration)).digest('hex'),
      ...metricsAnnotations(this.settings, binding),
      ...this.settings.props.podAnnotations,
    };
  }

  private emitAutoscalers(): Record<string, ApiObject> {
    const entries = this.settings.roleGroups.map((group) => [
      group.name, this.emitIfAny(`Autoscaler-${group.name}`, autoscalerManifest(this.settings, group)),
    ] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, ApiObject] => entry[1] !== undefined));
  }

  private emitDiscovery({ discovery }: PolicyEngineBinding): ApiObject | undefined {
    return this.emitIfAny('Discovery', discovery && this.settings.service ? configMapManifest(this.settings, this.instanceName, discovery) : undefined);
  }

  private warnAbout({ warnings = [] }: PolicyEngineBinding) {
    const { traits, mode, props } = this.settings;
    for (const [name, { replicas }] of Object.entries(props.roleGroups ?? {})) {
      if (traits.perNode && replicas !== undefined) {
        warn(this, `replicas ${replicas} of role group ${name} is ignored: deploymentMode ${mode} runs one pod on each node`);
      }
    }
    warnings.forEach((warning) => warn(this, warning));
  }

  /** An engine removes whatever stands at its socket's path, also the socket of another agent. */
  private claimSocketDirectory() {
    const { socket } = this.settings;
    if (socket) Identities.of(this).claim(`the socket directory ${socket.hostDirectory}`, this);
  }

  private validate(): string[] {
    printWarnings(this);
    return Identities.of(this).conflicts(this);
  }
}
