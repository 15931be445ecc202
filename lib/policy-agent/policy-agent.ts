import { createHash } from 'crypto';
import { ApiObject, Chart } from 'cdk8s';
import { IPodSelector, NetworkPolicyPeerConfig, PodSelectorConfig } from 'cdk8s-plus-28';
import { Construct, IConstruct } from 'constructs';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1';
import { Acknowledgement } from './acknowledgement';
import { checkBinding } from './check-binding';
import { offerOf } from './client-offer';
import { DeploymentMode } from './deployment-mode';
import { DiscoveredAgent, cerbosChart, kubeMgmtChart, stackableOpa } from './discovered-agent';
import { CerbosChartProps, DiscoveredAgentProps, KubeMgmtChartProps, StackableOpaProps } from './discovered-agent-props';
import { PolicyEngineBinding } from './engine';
import { contextOf } from './engine-context';
import { IPolicyAgent } from './i-policy-agent';
import { autoscalerManifest } from './objects/autoscaler';
import { certificateManifest } from './objects/certificate';
import { configMapManifest } from './objects/config-map';
import { disruptionBudgetManifest } from './objects/disruption-budget';
import { metricsAnnotations, podMonitorManifest } from './objects/metrics';
import { networkPolicyManifest } from './objects/network-policy';
import { podTemplate } from './objects/pod-template';
import { listeningPorts } from './objects/ports';
import { priorityQuotaManifest } from './objects/priority-quota';
import { isSome, rolloutOf } from './objects/rollout';
import { headlessServiceManifest, serviceManifest } from './objects/service';
import { workloadManifest } from './objects/workload';
import { PolicyAgentProps } from './policy-agent-props';
import { refuse, refuseRendered } from './refusals';
import { AgentSettings, settingsOf } from './settings';
import { InternalTrafficPolicy } from './traffic';
import { AgentClients } from '../client/agent-clients';
import { ClientOffer } from '../client/client-offer';
import { PolicyClientOptions } from '../client/policy-client-options';
import { ClaimKind, Claims } from '../private/claims';
import { CHECKSUM_ANNOTATION } from '../private/labels';
import { locateErrors, printWarnings, warn } from '../private/messages';
import { emit, Manifest, ObjectOverrides } from '../private/objects';
import { podSelectorConfig } from '../private/pod-selector';

/**
 * A policy agent: a server that answers authorization questions of other pods, on every node or as a few replicas.
 *
 * Every object is a raw `ApiObject`: patches on it are in wire form.
 */
export class PolicyAgent extends Construct implements IPolicyAgent {
  /** An agent that was made elsewhere: in another app, or by an operator or a Helm chart of which there is no shortcut. */
  public static fromDiscovery(scope: Construct, id: string, props: DiscoveredAgentProps): IPolicyAgent {
    return new DiscoveredAgent(scope, id, props);
  }

  /** The OPA of an OpaCluster of the Stackable Data Platform. */
  public static fromStackableOpa(scope: Construct, id: string, props: StackableOpaProps): IPolicyAgent {
    return new DiscoveredAgent(scope, id, stackableOpa({ ...props, namespace: props.namespace ?? Chart.of(scope).namespace }));
  }

  /** The Cerbos of a release of Cerbos' own Helm chart. */
  public static fromCerbosChart(scope: Construct, id: string, props: CerbosChartProps): IPolicyAgent {
    return new DiscoveredAgent(scope, id, cerbosChart({ ...props, namespace: props.namespace ?? Chart.of(scope).namespace }));
  }

  /** The OPA of a release of kube-mgmt's Helm chart `opa-kube-mgmt`. */
  public static fromKubeMgmtChart(scope: Construct, id: string, props: KubeMgmtChartProps): IPolicyAgent {
    return new DiscoveredAgent(scope, id, kubeMgmtChart({ ...props, namespace: props.namespace ?? Chart.of(scope).namespace }));
  }

  public readonly instanceName: string;
  public readonly namespace?: string;

  /** Workload that runs the agent. */
  public readonly deploymentMode: DeploymentMode;

  /** The DaemonSet or Deployment of each role group, by the role group's name. */
  public readonly workloads: Record<string, ApiObject>;

  /** The workloads of the mode that is being changed (`migrateFrom`), by the role group's name. */
  public readonly previousWorkloads: Record<string, ApiObject>;

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
  private readonly makeOffer: () => ClientOffer;
  private clients?: AgentClients;

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
    this.configMaps = !this.isSidecar ? this.emitConfigMaps(binding) : {};
    const templates = this.templates(settings, binding);
    this.workloads = !this.isSidecar ? this.emitWorkloads('Workload', settings, templates) : {};
    this.previousWorkloads = settings.previous ? this.emitWorkloads('PreviousWorkload', settings.previous, this.templates(settings.previous, binding)) : {};
    this.disruptionBudget = this.emitIfAny('DisruptionBudget', disruptionBudgetManifest(this.scaled));
    this.autoscalers = this.emitAutoscalers();
    this.service = this.emitIfAny('Service', settings.service ? serviceManifest(settings, binding) : undefined);
    this.headlessService = this.emitIfAny('HeadlessService', props.headlessService ? headlessServiceManifest(settings, binding) : undefined);
    this.discovery = this.emitDiscovery(binding);
    this.networkPolicy = this.emitIfAny('NetworkPolicy', networkPolicyManifest(settings, binding));
    this.podMonitor = this.emitIfAny('PodMonitor', podMonitorManifest(settings, binding));
    if (!this.isSidecar) locateErrors(this, () => this.overrides.refuseUnused());
    // Most agents of an app have no clients in it.
    this.makeOffer = () => offerOf(settings, binding, templates, this.checksum(binding));

    this.node.defaultChild = Object.values(this.workloads)[0];
    this.warnAbout(binding);
    this.claimNodeEndpoints(binding);
    this.node.addValidation({ validate: () => this.validate() });
  }

  /** Labels that select the agent's pods, whatever workload runs them. */
  public get podLabels(): Record<string, string> {
    return { ...this.settings.selectorLabels };
  }

  /** Name of the Service. */
  public get serviceName(): string {
    return this.instanceName;
  }

  /** Whether the agent runs in the pods of its clients. */
  public get isSidecar(): boolean {
    return this.settings.traits.workload === undefined;
  }

  /**
   * Makes a construct a client: a workload, a chart from Helm or a file, a custom resource, or whatever holds some of these.
   * At synth its pods get preferred affinity to the agent's (or, in SIDECAR mode, the agent itself), and its containers the
   * agent's address.
   *
   * Errors: at synth, when the construct holds nothing that makes pods, or what would not work.
   */
  public addClient(client: IConstruct, options?: PolicyClientOptions) {
    this.clients ??= new AgentClients(this, this.makeOffer(), (name, data, namespace) => this.emitForClients(name, data, namespace));
    this.clients.add(client, options);
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

  /** The ConfigMaps that clients need in their namespaces. */
  private emitForClients(name: string, data: Record<string, string>, namespace: string | undefined) {
    const { metadata, ...manifest } = configMapManifest(this.settings, name, data);
    emit(this, `Client-${namespace ?? ''}-${name}`, { ...manifest, metadata: { ...metadata, ...(namespace && { namespace }) } } as Manifest, this.overrides);
  }

  private templates(settings: AgentSettings, binding: PolicyEngineBinding): Record<string, PodTemplateSpec> {
    const annotations = this.podAnnotations(binding);
    return locateErrors(this, () => {
      const all = Object.fromEntries(settings.roleGroups.map((group) => [group.name, podTemplate(settings, binding, group, annotations)]));
      refuseRendered(settings, binding, all);
      return all;
    });
  }

  private emitWorkloads(idPrefix: string, settings: AgentSettings, templates: Record<string, PodTemplateSpec>): Record<string, ApiObject> {
    this.warnAboutGaps(settings, templates);
    return Object.fromEntries(settings.roleGroups.map((group) => [
      group.name, emit(this, `${idPrefix}-${group.name}`, workloadManifest(settings, group, templates[group.name]), this.overrides),
    ]));
  }

  /** A change of the configuration changes the pods, and so rolls them. */
  private podAnnotations(binding: PolicyEngineBinding): Record<string, string> {
    return {
      [CHECKSUM_ANNOTATION]: this.checksum(binding),
      ...metricsAnnotations(this.settings, binding),
      ...this.settings.props.podAnnotations,
    };
  }

  private checksum({ configMaps = [], checksums = [] }: PolicyEngineBinding): string {
    return createHash('sha256').update(JSON.stringify([configMaps, checksums])).digest('hex');
  }

  private emitAutoscalers(): Record<string, ApiObject> {
    const entries = this.scaled.roleGroups.map((group) => [
      group.name, this.emitIfAny(`Autoscaler-${group.name}`, autoscalerManifest(this.scaled, group)),
    ] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, ApiObject] => entry[1] !== undefined));
  }

  /** The agent in the mode that has replicas; while the mode is being changed that may be the old one. */
  private get scaled(): AgentSettings {
    const { settings } = this;
    return settings.previous?.traits.scaled ? settings.previous : settings;
  }

  private emitDiscovery({ discovery }: PolicyEngineBinding): ApiObject | undefined {
    return this.emitIfAny('Discovery', discovery && this.settings.service ? configMapManifest(this.settings, this.instanceName, discovery) : undefined);
  }

  private warnAbout({ warnings = [] }: PolicyEngineBinding) {
    const { traits, previous, mode, props } = this.settings;
    if (previous) {
      warn(this, `the deployment mode is being changed from ${previous.mode} to ${mode}: when this release is rolled out (kubectl rollout status), leave ` +
        'migrateFrom out of the next one');
    }
    for (const [name, { replicas }] of Object.entries(props.roleGroups ?? {})) {
      if (traits.perNode && !previous && replicas !== undefined) {
        warn(this, `replicas ${replicas} of role group ${name} is ignored: deploymentMode ${mode} runs one pod on each node`);
      }
    }
    warnings.forEach((warning) => warn(this, warning));
  }

  /** Where an agent is taken away before the next one answers, a Local Service has nothing to lead to. */
  private warnAboutGaps(settings: AgentSettings, templates: Record<string, PodTemplateSpec>) {
    const { service, internalTrafficPolicy } = settings;
    if (!service || internalTrafficPolicy !== InternalTrafficPolicy.LOCAL) return;
    for (const [group, template] of Object.entries(templates)) {
      const { maxUnavailable } = rolloutOf(settings, template);
      if (!isSome(maxUnavailable)) continue;
      warn(this, `a rollout of role group ${group} takes the agent of a node away before the new one answers (maxUnavailable ${maxUnavailable}), and clients ` +
        'of the Service on that node get no answer meanwhile, since internalTrafficPolicy is Local: set it to CLUSTER, or let clients try again');
    }
  }

  /** On a node there is room for one: an engine removes whatever stands at its socket's path, and a port is taken once. */
  private claimNodeEndpoints(binding: PolicyEngineBinding) {
    const { socket, hostPorts } = this.settings;
    const claims = Claims.of(this);
    if (socket) claims.claim(ClaimKind.NODE_ENDPOINT, `the socket directory ${socket.hostDirectory} of the nodes`, this);
    if (!hostPorts) return;
    for (const { name, port, api = true } of listeningPorts(binding)) {
      if (api) claims.claim(ClaimKind.NODE_ENDPOINT, `port ${hostPorts[name] ?? port} of the nodes`, this);
    }
  }

  private validate(): string[] {
    printWarnings(this);
    return [...Claims.of(this).conflicts(this, this.passedOver()), ...this.isSidecar ? this.uselessSidecar() : []];
  }

  private uselessSidecar(): string[] {
    if (!this.clients) return [`deploymentMode ${this.deploymentMode}, but no client is named by addClient: the agent would run nowhere`];
    const unused = this.overrides.unusedOnes();
    return unused ? [unused] : [];
  }

  private passedOver(): ClaimKind[] {
    const { acknowledged } = this.settings;
    if (acknowledged.includes(Acknowledgement.SEVERAL_CLUSTERS)) return [ClaimKind.NAME, ClaimKind.NODE_ENDPOINT];
    return acknowledged.includes(Acknowledgement.SHARED_NODE_ENDPOINTS) ? [ClaimKind.NODE_ENDPOINT] : [];
  }
}
