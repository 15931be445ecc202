import { Chart } from 'cdk8s';
import { Acknowledgement, AgentAccess, DeploymentMode, PolicyAgent, SocketDirectory } from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate, synthesise, testChart } from '../support/synth';

const cerbosDaemonSet = { engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET };

describe('hostPort', () => {
  test('takes the engine\'s numbers, or others, and leaves health and metrics alone', () => {
    const ports = (access: AgentAccess) => podTemplate(agentObjects({ ...cerbosDaemonSet, access: [access] })).spec.containers[0].ports;
    expect(ports(AgentAccess.hostPort())).toEqual([
      { name: 'http', containerPort: 3592, hostPort: 3592, protocol: 'TCP' },
      { name: 'grpc', containerPort: 3593, hostPort: 3593, protocol: 'TCP' },
    ]);
    expect(ports(AgentAccess.hostPort({ ports: { grpc: 13593 } })).map(({ hostPort }: any) => hostPort)).toEqual([3592, 13593]);
    const opaPorts = podTemplate(agentObjects({ engine: opa(), access: [AgentAccess.hostPort()] })).spec.containers[0].ports;
    expect(opaPorts).toEqual([
      { name: 'http', containerPort: 8181, hostPort: 8181, protocol: 'TCP' },
      { name: 'diagnostics', containerPort: 8282, protocol: 'TCP' },
    ]);
  });
});

test('fails when two agents of an app take the same port of the nodes, unless they stand on different ones', () => {
  const twice = (acknowledge?: Acknowledgement[]) => () => {
    const chart = testChart();
    const access = [AgentAccess.hostPort()];
    new PolicyAgent(chart, 'A', { engine: opa(), access, acknowledge });
    new PolicyAgent(chart, 'B', { engine: opa(), access, acknowledge });
    synthesise(chart);
  };
  expect(twice()).toThrow('[test/A] port 8181 of the nodes is claimed more than once in this app, by test/A and test/B');
  expect(twice([Acknowledgement.SHARED_NODE_ENDPOINTS])).not.toThrow();
});

test('a port of the node that an override takes rolls like one, too', () => {
  const rolling = (podOverrides: any) => find(agentObjects({ engine: opa(), podOverrides }), 'DaemonSet').spec.updateStrategy.rollingUpdate;
  expect(rolling({ spec: { hostNetwork: true } })).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  expect(rolling({ spec: { containers: [{ name: 'opa', ports: [{ containerPort: 8181, hostPort: 8181 }] }] } })).toEqual({ maxSurge: 0, maxUnavailable: 1 });
});

describe('a Unix socket in a node directory', () => {
  const socketPod = (options?: Parameters<typeof AgentAccess.unixSocket>[0]) =>
    podTemplate(agentObjects({ ...cerbosDaemonSet, access: [AgentAccess.unixSocket(options)] })).spec;

  test('stands at the same path everywhere, in a directory of its own', () => {
    const spec = socketPod();
    expect(spec.volumes).toContainEqual({ name: 'socket', hostPath: { path: '/run/cerbos/authz/agent', type: 'DirectoryOrCreate' } });
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'socket', mountPath: '/run/cerbos/authz/agent' });
  });

  test('is bound by an owner that can: root without capabilities where the kubelet makes the directory', () => {
    const spec = socketPod();
    expect(spec.securityContext).toMatchObject({ runAsUser: 0, runAsNonRoot: false });
    expect(spec.containers[0].securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
  });

  test('is bound by the engine\'s user where an init container or the node prepares the directory', () => {
    const chowned = socketPod({ directory: SocketDirectory.chownedBy('busybox:1.37'), group: 2000 });
    expect(chowned.securityContext).toMatchObject({ runAsUser: 65532, runAsGroup: 2000, runAsNonRoot: true });
    expect(chowned.initContainers).toMatchObject([{
      image: 'busybox:1.37',
      command: ['/bin/chown', '65532:2000', '/run/cerbos/authz/agent'],
      securityContext: { runAsUser: 0, runAsNonRoot: false, capabilities: { drop: ['ALL'], add: ['CHOWN'] }, allowPrivilegeEscalation: false },
      volumeMounts: [{ name: 'socket', mountPath: '/run/cerbos/authz/agent' }],
    }]);
    const prepared = socketPod({ directory: SocketDirectory.prepared(), hostDirectory: '/var/lib/pdp' });
    expect(prepared.securityContext).toMatchObject({ runAsUser: 65532, runAsNonRoot: true });
    expect(prepared.volumes).toContainEqual({ name: 'socket', hostPath: { path: '/var/lib/pdp', type: 'Directory' } });
    expect(prepared).not.toHaveProperty('initContainers');
  });

  test('has an explicit mode: for all, or for a group', () => {
    const mode = (options?: Parameters<typeof AgentAccess.unixSocket>[0]) => {
      const template = podTemplate(agentObjects({ engine: opa(), access: [AgentAccess.unixSocket(options)] }));
      return template.spec.containers[0].args.find((arg: string) => arg.startsWith('--unix-socket-perm'));
    };
    expect(mode()).toBe('--unix-socket-perm=0666');
    expect(mode({ group: 2000 })).toBe('--unix-socket-perm=0660');
    expect(mode({ mode: '600' })).toBe('--unix-socket-perm=0600');
  });

  test('has probes that go through it', () => {
    expect(socketPod().containers[0].livenessProbe.exec.command.slice(0, 3)).toEqual(['/cerbos', 'healthcheck', '--config=/config/.cerbos.yaml']);
    const [container] = podTemplate(agentObjects({ engine: opa(), access: [AgentAccess.unixSocket()] })).spec.containers;
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      expect(probe.exec.command.at(-1)).toContain('socket=%2Frun%2Fopa%2Fauthz%2Fagent%2Fopa.sock');
    }
  });

  test('fails when the directory is not given and the namespace is not known', () => {
    const chart = new Chart(testChart().node.root as any, 'other');
    const agent = (access: AgentAccess[]) => new PolicyAgent(chart, 'Agent', { engine: opa(), access });
    expect(() => agent([AgentAccess.unixSocket()])).toThrow('[other/Agent] hostDirectory of the Unix socket must be given, since the namespace is not known');
    chart.node.tryRemoveChild('Agent');
    agent([AgentAccess.unixSocket({ hostDirectory: '/run/opa' })]);
  });

  test('fails when two agents of an app share the directory, in whatever namespaces', () => {
    const chart = testChart();
    const access = [AgentAccess.unixSocket({ hostDirectory: '/run/opa' })];
    new PolicyAgent(chart, 'A', { engine: opa(), access });
    new PolicyAgent(chart, 'B', { engine: opa(), access, namespace: 'other' });
    expect(() => synthesise(chart)).toThrow(
      '[test/A] the socket directory /run/opa of the nodes is claimed more than once in this app, by test/A and test/B: ' +
      'if they stand on different nodes, acknowledge SHARED_NODE_ENDPOINTS in each',
    );
  });

  test('fails for a user that cannot bind where the kubelet makes the directory', () => {
    expect(() => agentObjects({ engine: opa(), runAsUser: 1000, access: [AgentAccess.unixSocket()] })).toThrow(
      '[test/Agent] runAsUser 1000 cannot bind a socket in a directory that the kubelet makes, which belongs to root',
    );
    agentObjects({ engine: opa(), runAsUser: 0, access: [AgentAccess.unixSocket()] });
    agentObjects({ engine: opa(), runAsUser: 1000, access: [AgentAccess.unixSocket({ directory: SocketDirectory.prepared() })] });
  });
});
