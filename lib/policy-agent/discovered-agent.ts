import { ApiObject, Chart } from 'cdk8s';
import { IPodSelector, LabelSelector, NetworkPolicyPeerConfig, PodSelectorConfig } from 'cdk8s-plus-28';
import { Construct, IConstruct } from 'constructs';
import { DeploymentMode, MODES } from './deployment-mode';
import { CerbosChartProps, DiscoveredAgentProps, KubeMgmtChartProps, StackableOpaProps } from './discovered-agent-props';
import { IPolicyAgent } from './i-policy-agent';
import { AgentClients } from '../client/agent-clients';
import { ClientOffer } from '../client/client-offer';
import { tolerationsOfDaemonSet } from '../client/node-local';
import { ClientAddress, PolicyClientOptions } from '../client/policy-client-options';
import { Claims } from '../private/claims';
import { COMPONENT_LABEL, INSTANCE_LABEL, NAME_LABEL } from '../private/labels';
import { checkDnsLabel, serviceHost } from '../private/names';

/** An agent that was made elsewhere. Emits nothing but what its clients need. */
export class DiscoveredAgent extends Construct implements IPolicyAgent {
  public readonly instanceName: string;
  public readonly namespace?: string;
  public readonly serviceName: string;
  public readonly isSidecar = false;
  private readonly labels: Record<string, string>;
  private readonly clients: AgentClients;

  public constructor(scope: Construct, id: string, props: DiscoveredAgentProps) {
    super(scope, id);
    this.instanceName = checkDnsLabel(props.instanceName, 'instanceName');
    this.namespace = props.namespace ?? Chart.of(this).namespace;
    this.serviceName = props.serviceName ?? this.instanceName;
    this.labels = { ...props.podLabels };
    if (Object.keys(this.labels).length === 0) throw new Error(`[${this.node.path}] podLabels must hold at least one label: without one they would select every pod`);
    if (props.deploymentMode && !MODES[props.deploymentMode].workload) {
      throw new Error(`[${this.node.path}] deploymentMode ${props.deploymentMode} has no pods that could be discovered`);
    }
    this.clients = new AgentClients(this, offerOf(props), (name, data, namespace) => this.emitConfigMap(name, data, namespace));
  }

  public get podLabels(): Record<string, string> {
    return { ...this.labels };
  }

  public addClient(client: IConstruct, options?: PolicyClientOptions) {
    this.clients.add(client, options);
  }

  public toPodSelectorConfig(): PodSelectorConfig {
    return { labelSelector: LabelSelector.of({ labels: this.podLabels }), ...(this.namespace && { namespaces: { names: [this.namespace] } }) };
  }

  public toNetworkPolicyPeerConfig(): NetworkPolicyPeerConfig {
    return { podSelector: this.toPodSelectorConfig() };
  }

  public toPodSelector(): IPodSelector | undefined {
    return this;
  }

  private emitConfigMap(name: string, data: Record<string, string>, namespace: string | undefined) {
    const metadata = { name, ...(namespace && { namespace }) };
    Claims.of(this).claimName(new ApiObject(this, `Client-${namespace ?? ''}-${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
  }
}

function offerOf({ variables, discovery, nodeLocal = false, deploymentMode }: DiscoveredAgentProps): ClientOffer {
  return {
    endpoints: variables || discovery ? [{ address: ClientAddress.SERVICE, words: {}, variables: variables ?? {}, nodeLocal }] : [],
    discovery,
    tls: Object.values(variables ?? {}).some((template) => template.includes('{ca}')) ? { clientCertificates: false } : undefined,
    nodes: deploymentMode && MODES[deploymentMode].perNode && { selections: { all: {} }, tolerations: [tolerationsOfDaemonSet()] },
  };
}

/** @see https://docs.stackable.tech/home/stable/opa/reference/discovery/ */
export function stackableOpa({ name, namespace, serverSecretClass }: StackableOpaProps): DiscoveredAgentProps {
  const service = `${name}-server`;
  const url = `${serverSecretClass ? 'https' : 'http'}://${serviceHost(service, namespace, namespace && 'cluster.local')}:${serverSecretClass ? 8443 : 8081}`;
  return {
    instanceName: name,
    namespace,
    serviceName: service,
    podLabels: { [NAME_LABEL]: 'opa', [INSTANCE_LABEL]: name, [COMPONENT_LABEL]: 'server' },
    deploymentMode: DeploymentMode.DAEMON_SET,
    nodeLocal: true,
    variables: { OPA_URL: url, ...(serverSecretClass && { OPA_CA_FILE: '{ca}' }) },
    discovery: { OPA: `${url}/`, ...(serverSecretClass && { OPA_SECRET_CLASS: serverSecretClass }) },
  };
}

/** @see https://github.com/cerbos/cerbos/tree/main/deploy/charts/cerbos */
export function cerbosChart(props: CerbosChartProps): DiscoveredAgentProps {
  const { releaseName, namespace, fullName, deploymentMode = DeploymentMode.DEPLOYMENT, tls } = props;
  const name = fullName ?? releaseFullName(releaseName, 'cerbos');
  const host = serviceHost(name, namespace);
  return {
    instanceName: name,
    namespace,
    podLabels: { [NAME_LABEL]: 'cerbos', [INSTANCE_LABEL]: releaseName },
    deploymentMode,
    nodeLocal: MODES[deploymentMode].perNode !== undefined,
    variables: {
      CERBOS_HTTP: `${tls ? 'https' : 'http'}://${host}:3592`,
      CERBOS_GRPC: `${host}:3593`,
      ...(tls && { CERBOS_CA_FILE: '{ca}' }),
    },
  };
}

/** @see https://github.com/open-policy-agent/kube-mgmt/tree/master/charts/opa-kube-mgmt */
export function kubeMgmtChart({ releaseName, namespace, fullName, useHttps = true, port = 8181 }: KubeMgmtChartProps): DiscoveredAgentProps {
  const name = fullName ?? releaseFullName(releaseName, 'opa-kube-mgmt');
  return {
    instanceName: name,
    namespace,
    podLabels: { app: name },
    deploymentMode: DeploymentMode.DEPLOYMENT,
    variables: {
      OPA_URL: `${useHttps ? 'https' : 'http'}://${serviceHost(name, namespace)}:${port}`,
      ...(useHttps && { OPA_CA_FILE: '{ca}' }),
    },
  };
}

/** As the usual template of Helm charts makes a name. */
function releaseFullName(releaseName: string, chart: string): string {
  return (releaseName.includes(chart) ? releaseName : `${releaseName}-${chart}`).slice(0, 63).replace(/-+$/, '');
}
