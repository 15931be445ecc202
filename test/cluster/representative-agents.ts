import { App, Chart } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import {
  AgentAccess, AgentTls, CerbosEngine, CerbosStorage, DeploymentMode, NodeRequirement, OpaEngine, PolicyAgent, PolicyAgentProps, PolicyFiles,
  Toleration,
} from '../../lib';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;

const opa = () => new OpaEngine({ policies: [PolicyFiles.inline({ 'authz.rego': 'package authz\n\nallow := true\n' })], decisions: ['authz/allow'] });
const cerbos = () => new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'policy.yaml': '# none\n' })) });

const GPU = 'example.com/gpu';
const BY_NODES: PolicyAgentProps['roleGroups'] = {
  default: { nodes: [NodeRequirement.doesNotExist(GPU)] },
  gpu: { nodes: [NodeRequirement.exists(GPU)], tolerations: [Toleration.exists(GPU)] },
};

/** Agents whose manifests are frozen with each release. Only ever add to them. */
export const REPRESENTATIVE_AGENTS: Record<string, PolicyAgentProps> = {
  'opa-daemon-set': { engine: opa(), deploymentMode: DAEMON_SET },
  'opa-deployment': { engine: opa(), deploymentMode: DEPLOYMENT, headlessService: true, networkPolicy: { clients: [] } },
  'opa-autoscaled': { engine: opa(), deploymentMode: DEPLOYMENT, roleGroups: { default: { autoscaling: { maxReplicas: 5 } } } },
  'opa-role-groups': { engine: opa(), deploymentMode: DAEMON_SET, roleGroups: BY_NODES },
  'opa-host-port-tls': {
    engine: opa(),
    deploymentMode: DAEMON_SET,
    access: [AgentAccess.service(), AgentAccess.hostPort({ ports: { http: 18181 } })],
    tls: AgentTls.fromSecret('opa-tls', { serverName: 'opa.authz.svc' }),
  },
  'opa-socket': { engine: opa(), deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] },
  'opa-switching': { engine: opa(), deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET },
  'cerbos-daemon-set': { engine: cerbos(), deploymentMode: DAEMON_SET },
  'cerbos-deployment': { engine: cerbos(), deploymentMode: DEPLOYMENT, headlessService: true, roleGroups: { default: { replicas: 3 }, other: {} } },
  'cerbos-tls': { engine: cerbos(), deploymentMode: DEPLOYMENT, tls: AgentTls.fromSecret('cerbos-tls') },
  'cerbos-host-port': { engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { http: 13592, grpc: 13593 } })] },
  'cerbos-socket': { engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()] },
};

/** What today's library makes of one of the agents, as a user writes it to a file. */
export function synthesiseRepresentative(name: string): string {
  const app = new App();
  new PolicyAgent(new Chart(app, 'release', { namespace: 'authz' }), 'Agent', { ...REPRESENTATIVE_AGENTS[name], instanceName: name });
  return String(app.synthYaml());
}

export function parseManifests(yaml: string): any[] {
  return parseAllDocuments(yaml).map((document) => document.toJS());
}
