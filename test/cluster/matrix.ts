/** Every combination of engine, mode, access, TLS and policy source, and the words with which some are to be refused. */
import { App, Chart } from 'cdk8s';
import {
  AgentAccess, AgentTls, CerbosEngine, CerbosStorage, ClientCertificates, DeploymentMode, IPolicyEngine, KubernetesVersion, OpaEngine, PolicyAgent,
  PolicyAgentProps, PolicyFiles, SocketDirectory,
} from '../../lib';
import { objectsIn } from '../support/synth';

/** The names of a combination's values. */
export interface Cell {
  readonly engine: string;
  readonly mode: string;
  readonly access: string;
  readonly tls: string;
  readonly source: string;
  readonly version: KubernetesVersion;
}

type Props = Partial<PolicyAgentProps>;

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const { VERIFY_IF_GIVEN, REQUIRED } = ClientCertificates;

const MODES: Record<string, Props> = {
  'DaemonSet': { deploymentMode: DAEMON_SET },
  'Deployment': { deploymentMode: DEPLOYMENT },
  'DaemonSet after Deployment': { deploymentMode: DAEMON_SET, migrateFrom: DEPLOYMENT },
  'Deployment after DaemonSet': { deploymentMode: DEPLOYMENT, migrateFrom: DAEMON_SET },
};

const SERVICE = AgentAccess.service();
const HOST_PORT = AgentAccess.hostPort();
const CHOWNED = AgentAccess.unixSocket({ directory: SocketDirectory.chownedBy('busybox:1.37'), group: 2000 });
const PREPARED = AgentAccess.unixSocket({ directory: SocketDirectory.prepared() });
const ACCESS: Record<string, AgentAccess[]> = {
  'service': [SERVICE],
  'hostPort': [HOST_PORT],
  'socket': [AgentAccess.unixSocket()],
  'service + hostPort': [SERVICE, HOST_PORT],
  'service + socket': [SERVICE, CHOWNED],
  'hostPort + socket': [HOST_PORT, PREPARED],
  'service + hostPort + socket': [SERVICE, HOST_PORT, PREPARED],
};

const named = { serverName: 'agent.example.com' };
const TLS: Record<string, AgentTls | undefined> = {
  'plain': undefined,
  'nameless': AgentTls.fromSecret('tls'),
  'secret': AgentTls.fromSecret('tls', named),
  'certificate': AgentTls.fromCertificate({ ...named, issuerName: 'internal' }),
  'verified clients': AgentTls.fromCertificate({ ...named, issuerName: 'internal', clientCertificates: VERIFY_IF_GIVEN }),
  'required clients': AgentTls.fromSecret('tls', { ...named, clientCertificates: REQUIRED, clientCaSecret: 'clients' }),
};

const secret = (key: string) => ({ secretName: 'source', key });
const rego = PolicyFiles.inline({ 'authz.rego': 'package authz\n\ndefault allow := false\n' });
const bundle = { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] };
const opa = (props: ConstructorParameters<typeof OpaEngine>[0]) => new OpaEngine({ decisions: ['authz/allow'], ...props });
const yaml = PolicyFiles.inline({ 'derived/roles.yaml': '# none\n' });
const admin = { username: 'admin', passwordHashSecret: secret('hash') };
const git = { url: 'https://git.example.com/policies.git' };
const SOURCES: Record<string, Record<string, () => IPolicyEngine>> = {
  opa: {
    'inline': () => opa({ policies: [rego] }),
    'ConfigMap': () => opa({ policies: [PolicyFiles.fromConfigMap('rules', { checksum: '1' })] }),
    'image': () => opa({ policies: [PolicyFiles.fromImage('registry.example.com/policies:1')] }),
    'bundle': () => opa({ bundles: { authz: { ...bundle, persist: true, bearerTokenSecret: secret('token'), caSecret: secret('ca.crt') } } }),
    'bundle + inline': () => opa({ bundles: { data: { ...bundle, roots: ['data'] } }, policies: [rego] }),
    'discovery': () => opa({ discovery: bundle }),
  },
  cerbos: {
    'inline': () => new CerbosEngine({ storage: CerbosStorage.disk(yaml) }),
    'ConfigMap': () => new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromConfigMap('rules', { checksum: '1' })) }),
    'image': () => new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromImage('registry.example.com/policies:1')) }),
    'git by https': () => new CerbosEngine({ storage: CerbosStorage.git({ ...git, passwordSecret: secret('password') }) }),
    'git by ssh': () => new CerbosEngine({ storage: CerbosStorage.git({ url: 'ssh://git.example.com/policies.git', sshKeySecret: secret('id') }) }),
    'blob': () => new CerbosEngine({ storage: CerbosStorage.blob({ bucket: 's3://policies' }) }),
    'sqlite': () => new CerbosEngine({ storage: CerbosStorage.sqlite3('file:/work/policies.db?_fk=true'), adminApi: admin }),
    'postgres': () => new CerbosEngine({ storage: CerbosStorage.postgres('postgres://cerbos@db:5432/cerbos') }),
    'mysql': () => new CerbosEngine({ storage: CerbosStorage.mysql('cerbos@tcp(db:3306)/cerbos') }),
    'hub': () => new CerbosEngine({
      storage: CerbosStorage.hub({ deploymentId: 'd', clientIdSecret: secret('id'), clientSecretSecret: secret('secret') }),
    }),
    'overlay': () => new CerbosEngine({ storage: CerbosStorage.overlay({ base: CerbosStorage.git(git), fallback: CerbosStorage.disk(yaml) }) }),
  },
};

const has = ({ access }: Cell, way: string) => access.includes(way);

/** Whether the pods of a combination take something of their node. */
export function atNode(cell: Cell): boolean {
  return has(cell, 'hostPort') || has(cell, 'socket');
}

/** What decision 2 of the design refuses among the combinations: when, and in which words. */
export const REFUSED: [RegExp, (cell: Cell) => boolean][] = [
  [/access by (hostPort|Unix socket) with deploymentMode Deployment/, (cell) => cell.mode === 'Deployment' && atNode(cell)],
  [/migrateFrom with access by a (hostPort|Unix socket)/, (cell) => cell.mode.includes('after') && atNode(cell)],
  [/TLS with access by hostPort needs tls\.serverName/, (cell) => cell.tls === 'nameless' && has(cell, 'hostPort')],
  [/Cerbos cannot require client certificates/, ({ engine, tls }) => engine === 'cerbos' && tls === 'required clients'],
  [/OPA either requires client certificates or does not ask for them/, ({ engine, tls }) => engine === 'opa' && tls === 'verified clients'],
  [/access by Unix socket beside required client certificates/, (cell) => cell.tls === 'required clients' && has(cell, 'socket')],
  [/OPA speaks no TLS on a Unix socket/, ({ engine, tls, access }) => engine === 'opa' && tls !== 'plain' && access === 'socket'],
  [/fromImage\(.*\) needs image volumes/, ({ source, version }) => source === 'image' && version === KubernetesVersion.V1_34],
];

/** All combinations for clusters of a version. */
export function allCells(version: KubernetesVersion): Cell[] {
  return Object.keys(SOURCES).flatMap((engine) => Object.keys(SOURCES[engine]).flatMap((source) => Object.keys(MODES).flatMap((mode) =>
    Object.keys(ACCESS).flatMap((access) => Object.keys(TLS).map((tls) => ({ engine, mode, access, tls, source, version }))))));
}

/** The objects of a combination's agent. */
export function cellObjects({ engine, mode, access, tls, source, version }: Cell, instanceName: string, namespace: string): any[] {
  const chart = new Chart(new App(), 'matrix', { namespace });
  new PolicyAgent(chart, 'Agent', {
    ...MODES[mode], engine: SOURCES[engine][source](), access: ACCESS[access], tls: TLS[tls], kubernetesVersion: version, instanceName,
  });
  return objectsIn(chart);
}
