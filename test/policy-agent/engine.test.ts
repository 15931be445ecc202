import { Acknowledgement, AgentAccess, DeploymentMode, IPolicyEngine, PolicyEngineBinding, PolicyEngineContext, PolicyFiles } from '../../lib';
import { agentObjects, find, opa, podTemplate } from '../support/synth';

/** A third agent, as a user would write it. */
class Spicy implements IPolicyEngine {
  public readonly engineName = 'spicy';
  public readonly defaultDeploymentMode = DeploymentMode.DEPLOYMENT;
  public context?: PolicyEngineContext;

  constructor(private readonly overrides: Partial<PolicyEngineBinding> = {}) {}

  public bind(context: PolicyEngineContext): PolicyEngineBinding {
    this.context = context;
    const health = { httpGet: { path: '/up', port: 'api' } };
    return {
      containers: [
        { name: 'spicy', image: 'spicy:1', command: ['/spicy'], volumeMounts: [{ name: 'rules', mountPath: '/rules' }] },
        { name: 'helper', image: 'helper:1', securityContext: { runAsUser: 7 } },
      ],
      initContainers: [{ name: 'fetch', image: 'fetch:1' }],
      volumes: [{ name: 'rules', configMap: { name: `${context.instanceName}-rules` } }],
      configMaps: [{ suffix: 'rules', data: { 'rules.txt': 'allow' } }],
      ports: [{ name: 'api', port: 9000 }],
      startupProbe: health,
      livenessProbe: health,
      readinessProbe: health,
      shutdownGraceSeconds: 3,
      user: 4242,
      discovery: context.serviceHost ? { SPICY: `spicy://${context.serviceHost}:9000` } : undefined,
      resources: { cpuRequest: '10m', memoryLimit: '32Mi' },
      ...this.overrides,
    };
  }
}

describe('an engine of the user\'s own', () => {
  test('gets all that an agent has', () => {
    const engine = new Spicy();
    const objects = agentObjects({ engine });
    expect(find(objects, 'ConfigMap', 'agent-rules').data).toEqual({ 'rules.txt': 'allow' });
    expect(find(objects, 'ConfigMap', 'agent').data).toEqual({ SPICY: 'spicy://agent.authz.svc:9000' });
    expect(find(objects, 'Service').spec.ports).toEqual([{ name: 'api', port: 9000, protocol: 'TCP', targetPort: 'api' }]);
    const { metadata, spec } = podTemplate(objects);
    expect(metadata.labels['app.kubernetes.io/name']).toBe('spicy');
    expect(spec.securityContext.runAsUser).toBe(4242);
    expect(spec.terminationGracePeriodSeconds).toBe(5 + 3 + 5);
    expect(spec.containers.map(({ name }: any) => name)).toEqual(['spicy', 'helper']);
    for (const container of [...spec.containers, ...spec.initContainers]) {
      expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    }
    expect(spec.containers[1].securityContext.runAsUser).toBe(7);
    expect(engine.context).toMatchObject({
      instanceName: 'agent', namespace: 'authz', deploymentMode: 'Deployment', severalInstances: true, listensOnNetwork: true, serviceHost: 'agent.authz.svc',
    });
  });

  test('is told where to bind a socket, and an engine that cannot is refused', () => {
    const props = { deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.unixSocket()] };
    expect(() => agentObjects({ engine: new Spicy(), ...props })).toThrow('[test/Agent] engine spicy has no Unix socket: use another way of access');
    const engine = new Spicy({ socketFile: 'spicy.sock' });
    agentObjects({ engine, ...props });
    expect(engine.context).toMatchObject({ socketDirectory: '/run/spicy/authz/agent', socketMode: '0666', listensOnNetwork: false });
  });

  test.each<[string, Partial<PolicyEngineBinding>, string]>([
    ['no container', { containers: [] }, 'engine spicy must return at least one container'],
    ['a container without an image', { containers: [{ name: 'x' }] }, 'engine spicy must name every container and its image, given {"name":"x"}'],
    ['no port', { ports: [] }, 'engine spicy must return at least one port, or a socketFile'],
    ['a port that there is not', { ports: [{ name: 'api', port: 0 }] }, 'engine spicy must listen on ports from 1 to 65535, given api 0'],
    ['a port that no container can call so', { ports: [{ name: 'a-very-long-name', port: 1 }] }, 'engine spicy must name its ports with at most 15'],
    ['no port for clients', { ports: [{ name: 'health', port: 1, api: false }] }, 'engine spicy has no port for clients, so access by Service leads nowhere'],
    ['a port twice', { ports: [{ name: 'api', port: 1 }, { name: 'api', port: 2 }] }, 'engine spicy returns port api twice'],
    ['a port that nothing listens on', { ports: [{ name: 'api', port: 1, containerPort: 2 }] }, 'engine spicy returns port api with containerPort 2, but no port'],
    ['metrics on no port', { metricsPort: 'metrics' }, 'engine spicy returns metricsPort metrics, but its ports are api'],
    ['a ConfigMap that cannot be called so', { configMaps: [{ suffix: 'A_B', data: {} }] }, 'suffix of a ConfigMap of engine spicy must be a DNS label'],
    ['a ConfigMap twice', { configMaps: [{ suffix: 'a', data: {} }, { suffix: 'a', data: {} }] }, 'engine spicy returns ConfigMap suffix a twice'],
  ])('fails when it returns %s', (_, overrides, error) => {
    expect(() => agentObjects({ engine: new Spicy(overrides) })).toThrow(`[test/Agent] ${error}`);
  });

  test('errors of the engine say where they arose', () => {
    const engine = new Spicy();
    engine.bind = () => {
      throw new Error('no rules');
    };
    expect(() => agentObjects({ engine })).toThrow('[test/Agent] no rules');
  });
});

describe('a change of the configuration rolls the pods', () => {
  const checksum = (props: Parameters<typeof opa>[0]) =>
    podTemplate(agentObjects({ engine: opa(props) })).metadata.annotations['cdk8s-platform-services/configuration-checksum'];
  const rego = (rule: string) => [PolicyFiles.inline({ 'a.rego': `package authz\n${rule}\n` })];
  const base = checksum({ policies: rego('allow := true') });

  test.each<[string, Parameters<typeof opa>[0]]>([
    ['inline policies', { policies: rego('allow := false') }],
    ['configuration', { policies: rego('allow := true'), labels: { a: 'b' } }],
    ['decisions', { policies: rego('allow := true'), decisions: ['authz/deny'] }],
    ['the stated checksum of a ConfigMap', { policies: [...rego('allow := true'), PolicyFiles.fromConfigMap('more', { checksum: '2' })] }],
  ])('%s', (_, changed) => {
    expect(checksum(changed)).not.toBe(base);
  });

  test('nothing else does', () => {
    expect(checksum({ policies: rego('allow := true') })).toBe(base);
  });
});

describe('a ConfigMap that is too large for the API server is refused, with a way out', () => {
  const engine = (kib: number) => opa({ policies: [PolicyFiles.inline({ 'a.rego': `package a\n# ${'x'.repeat(kib * 1024)}\n` })], decisions: ['a/b'] });
  const acknowledge = [Acknowledgement.SERVER_SIDE_APPLY];

  test('256 KiB for client-side apply, less what annotations may take', () => {
    agentObjects({ engine: engine(254) });
    expect(() => agentObjects({ engine: engine(256) })).toThrow(
      /^\[test\/Agent\] ConfigMap agent-policies would have 26\d{4} bytes, at most 262144 are allowed for client-side apply: .*SERVER_SIDE_APPLY.*PolicyFiles\.fromImage/,
    );
  });

  test('1 MiB when server-side apply is acknowledged', () => {
    agentObjects({ engine: engine(1022), acknowledge });
    expect(() => agentObjects({ engine: engine(1024), acknowledge })).toThrow(/at most 1048576 are allowed: split the files over several PolicyFiles\.inline/);
  });

  test('several ConfigMaps make one directory', () => {
    const policies = ['a', 'b'].map((name) => PolicyFiles.inline({ [`${name}.rego`]: `package ${name}\n# ${'x'.repeat(200 * 1024)}\n` }));
    const objects = agentObjects({ engine: opa({ policies, decisions: ['a/b'] }) });
    const { spec } = podTemplate(objects);
    expect(spec.volumes.find(({ name }: any) => name === 'policies').projected.sources.map(({ configMap }: any) => configMap.name)).toEqual(['agent-policies', 'agent-policies-2']);
    expect(spec.containers[0].args.filter((arg: string) => arg.startsWith('/policies'))).toEqual(['/policies']);
  });
});
