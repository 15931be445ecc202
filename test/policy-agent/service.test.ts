import { AgentAccess, AgentTls, DeploymentMode, InternalTrafficPolicy, IpFamily, PolicyAgentProps, TrafficDistribution } from '../../lib';
import { agentObjects, cerbos, find, opa } from '../support/synth';

const service = (props: PolicyAgentProps) => find(agentObjects(props), 'Service', 'agent').spec;
const ports = (props: PolicyAgentProps) => service(props).ports.map(({ protocol, ...port }: any) => port);

describe('traffic', () => {
  test('the policy can be overridden: spreading load can beat the saved hop', () => {
    expect(service({ engine: opa(), internalTrafficPolicy: InternalTrafficPolicy.CLUSTER }).internalTrafficPolicy).toBe('Cluster');
  });

  test('near pods are preferred on request', () => {
    const near = { trafficDistribution: TrafficDistribution.PREFER_SAME_NODE };
    expect(service({ engine: cerbos(), ...near })).toMatchObject({ trafficDistribution: 'PreferSameNode' });
    expect(service({ engine: opa(), internalTrafficPolicy: InternalTrafficPolicy.CLUSTER, ...near })).toMatchObject({ trafficDistribution: 'PreferSameNode' });
  });
});

describe('one Service with a stable name, named ports, and appProtocol', () => {
  test('OPA', () => {
    expect(ports({ engine: opa() })).toEqual([{ name: 'http', port: 8181, targetPort: 'http', appProtocol: 'http' }]);
  });

  test('Cerbos', () => {
    expect(ports({ engine: cerbos() })).toEqual([
      { name: 'http', port: 3592, targetPort: 'http', appProtocol: 'http' },
      { name: 'grpc', port: 3593, targetPort: 'grpc', appProtocol: 'grpc' },
    ]);
  });

  test('Cerbos with TLS', () => {
    expect(ports({ engine: cerbos(), tls: AgentTls.fromSecret('tls') }).map(({ name, appProtocol }: any) => [name, appProtocol])).toEqual([
      ['http', 'https'],
      ['grpc', 'https'],
    ]);
  });

  test('Cerbos with a node socket: gRPC on the HTTP port, under its own number', () => {
    const access = [AgentAccess.service(), AgentAccess.unixSocket()];
    expect(ports({ engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access })).toEqual([
      { name: 'http', port: 3592, targetPort: 'http', appProtocol: 'http' },
      { name: 'grpc', port: 3593, targetPort: 'http', appProtocol: 'grpc' },
    ]);
  });

  test('a headless Service for clients that balance themselves', () => {
    const objects = agentObjects({ engine: cerbos(), headlessService: true });
    const headless = find(objects, 'Service', 'agent-headless').spec;
    expect(headless).toMatchObject({ clusterIP: 'None', selector: find(objects, 'Service', 'agent').spec.selector });
    expect(headless).not.toHaveProperty('internalTrafficPolicy');
    expect(headless.ports.map(({ name, port }: any) => [name, port])).toEqual([['http', 3592], ['grpc', 3593]]);
  });

  test('a headless Service translates no ports, so it leaves out names of other ports', () => {
    const props = { engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()] };
    expect(find(agentObjects({ ...props, headlessService: true }), 'Service', 'agent-headless').spec.ports.map(({ port }: any) => port)).toEqual([3592]);
  });

  test('address families', () => {
    expect(service({ engine: opa(), ipFamily: IpFamily.IPV6 })).toMatchObject({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
    expect(service({ engine: opa(), ipFamily: IpFamily.DUAL_STACK })).toMatchObject({ ipFamilyPolicy: 'PreferDualStack' });
    expect(service({ engine: opa() })).not.toHaveProperty('ipFamilies');
  });
});

describe('a discovery ConfigMap named like the agent', () => {
  const discovery = (props: PolicyAgentProps) => find(agentObjects(props), 'ConfigMap', 'agent').data;

  test('OPA, as Stackable products read it', () => {
    expect(discovery({ engine: opa() })).toEqual({ OPA: 'http://agent.authz.svc:8181/' });
  });

  test('OPA with TLS, and the SecretClass if it is named', () => {
    const tls = AgentTls.fromSecret('tls');
    expect(discovery({ engine: opa(), tls })).toEqual({ OPA: 'https://agent.authz.svc:8181/' });
    expect(discovery({ engine: opa({ secretClass: 'opa-tls' }), tls })).toEqual({ OPA: 'https://agent.authz.svc:8181/', OPA_SECRET_CLASS: 'opa-tls' });
    expect(discovery({ engine: opa({ secretClass: 'opa-tls' }) })).not.toHaveProperty('OPA_SECRET_CLASS');
  });

  test('Cerbos', () => {
    expect(discovery({ engine: cerbos() })).toEqual({ CERBOS_HTTP: 'http://agent.authz.svc:3592', CERBOS_GRPC: 'agent.authz.svc:3593' });
    expect(discovery({ engine: cerbos(), tls: AgentTls.fromSecret('tls') }).CERBOS_HTTP).toBe('https://agent.authz.svc:3592');
  });

  test('no cluster domain unless it is given', () => {
    expect(discovery({ engine: opa(), clusterDomain: 'k8s.example.com' })).toEqual({ OPA: 'http://agent.authz.svc.k8s.example.com:8181/' });
  });

  test('none without a Service, since nobody could use the address', () => {
    const names = agentObjects({ engine: opa(), access: [AgentAccess.hostPort()] }).filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    expect(names).toEqual(['agent-config', 'agent-policies']);
  });
});
