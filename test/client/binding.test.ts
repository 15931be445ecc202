import * as kplus28 from 'cdk8s-plus-28';
import {
  AgentAccess, AgentTls, CaBundle, CerbosEngine, ClientAddress, ClientCertificates, DeploymentMode, IpFamily, PolicyAgent, PolicyAgentProps,
  PolicyClientOptions, SocketDirectory,
} from '../../lib';
import { deployment, listed, opaAgent, synthesised, twoCharts } from '../support/clients';
import { cerbos, find, opa, synthesise, testChart } from '../support/synth';

const { DAEMON_SET } = DeploymentMode;

interface Bound {
  readonly pod: any;
  readonly web: any;
  readonly log: any;
  readonly warnings: string[];
  readonly objects: any[];
}

/** A Deployment with two containers, bound to an agent of its namespace. */
function bound(props: Partial<PolicyAgentProps> = {}, options?: PolicyClientOptions, pod: any = {}): Bound {
  const chart = testChart();
  const agent = props.engine instanceof CerbosEngine
    ? new PolicyAgent(chart, 'Cerbos', props as PolicyAgentProps)
    : opaAgent(chart, props);
  const client = deployment(chart, 'Web', pod);
  agent.addClient(client, options);
  const objects = synthesise(chart);
  const { spec } = client.toJson().spec.template;
  const [web, log] = spec.containers;
  return { pod: spec, web, log, objects, warnings: listed(agent, 'warning').filter((text) => text.startsWith('client')) };
}

const env = (container: any) => Object.fromEntries((container.env ?? []).map(({ name, value, valueFrom }: any) => [name, value ?? valueFrom]));
const names = (list: any[] = []) => list.map(({ name }) => name);
const hostIp = { fieldRef: { fieldPath: 'status.hostIP' } };

describe('a client is told the address', () => {
  test('of the Service, in all containers', () => {
    const { web, log } = bound();
    for (const container of [web, log]) expect(container.env).toEqual([{ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' }]);
  });

  test('of Cerbos, as `cerbos run` tells it', () => {
    expect(env(bound({ engine: cerbos() }).web)).toEqual({ CERBOS_HTTP: 'http://cerbos.authz.svc:3592', CERBOS_GRPC: 'cerbos.authz.svc:3593' });
  });

  test('in chosen containers, init containers among them, by other names', () => {
    const { pod, web, log } = bound({}, { containers: ['log', 'migrate'], variables: { OPA_URL: 'PDP_URL' } }, { initContainers: [{ name: 'migrate', image: 'm:1' }] });
    expect(web).not.toHaveProperty('env');
    expect([env(log), env(pod.initContainers[0])]).toEqual([{ PDP_URL: 'http://opa.authz.svc:8181' }, { PDP_URL: 'http://opa.authz.svc:8181' }]);
  });

  test('before its own variables, which can refer to it', () => {
    const { web } = bound({}, {}, { containers: [{ name: 'web', image: 'web:1', env: [{ name: 'ALLOW', value: '$(OPA_URL)/v1/data/authz/allow' }] }] });
    expect(names(web.env)).toEqual(['OPA_URL', 'ALLOW']);
  });

  test('but keeps a variable that it sets itself, with a warning', () => {
    const { web, warnings } = bound({ engine: cerbos() }, {}, { containers: [{ name: 'web', image: 'web:1', env: [{ name: 'A', value: 'a' }, { name: 'CERBOS_HTTP', value: 'http://mine' }] }] });
    expect(web.env).toEqual([{ name: 'A', value: 'a' }, { name: 'CERBOS_HTTP', value: 'http://mine' }, { name: 'CERBOS_GRPC', value: 'cerbos.authz.svc:3593' }]);
    expect(warnings).toEqual(['client test/Web (Deployment/web): container web sets variable CERBOS_HTTP itself, which is kept']);
  });

  test('not at all, if it is not wanted', () => {
    const { pod, web } = bound({}, { address: ClientAddress.NONE });
    expect(web).not.toHaveProperty('env');
    expect(pod.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution).toHaveLength(1);
  });

  test('once, however often it is named', () => {
    const chart = testChart();
    const agent = opaAgent(chart, { deploymentMode: DAEMON_SET, access: [AgentAccess.service(), AgentAccess.hostPort()] });
    const client = deployment(chart, 'Web');
    for (const address of [undefined, undefined, ClientAddress.SERVICE]) agent.addClient(client, { address });
    expect(synthesised(client).spec.template.spec.containers[0].env).toHaveLength(1);
    expect(listed(agent, 'warning').filter((text) => text.startsWith('client'))).toEqual([]);
  });
});

describe('by reference to the discovery ConfigMap', () => {
  const reference = (key: string, name = 'opa') => ({ configMapKeyRef: { key, name } });

  test('in the namespace of the agent', () => {
    expect(env(bound({}, { address: ClientAddress.DISCOVERY }).web)).toEqual({ OPA: reference('OPA') });
    expect(env(bound({ engine: cerbos() }, { address: ClientAddress.DISCOVERY, variables: { CERBOS_GRPC: 'PDP' } }).web))
      .toEqual({ CERBOS_HTTP: reference('CERBOS_HTTP', 'cerbos'), PDP: reference('CERBOS_GRPC', 'cerbos') });
  });

  test('in another one, which gets one copy', () => {
    const { agents, clients } = twoCharts();
    const agent = opaAgent(agents);
    const some = [deployment(clients, 'Web'), deployment(clients, 'Shop')];
    some.forEach((client) => agent.addClient(client, { address: ClientAddress.DISCOVERY }));
    const copies = synthesise(clients).filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'opa');
    expect(copies.map(({ metadata, data }) => [metadata.namespace, data])).toEqual([
      ['authz', { OPA: 'http://opa.authz.svc:8181/' }], ['web', { OPA: 'http://opa.authz.svc:8181/' }],
    ]);
    expect(env(some[1].toJson().spec.template.spec.containers[0])).toEqual({ OPA: reference('OPA') });
  });
});

describe('on its own node', () => {
  test('by the address of the node, declared before its users', () => {
    const { web } = bound({ deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { http: 18181 } })] });
    expect(web.env).toEqual([{ name: 'OPA_HOST_IP', valueFrom: hostIp }, { name: 'OPA_URL', value: 'http://$(OPA_HOST_IP):18181' }]);
  });

  test('bracketed for IPv6, by other names', () => {
    const options = { address: ClientAddress.HOST_PORT, variables: { OPA_HOST_IP: 'NODE', OPA_URL: 'PDP' } };
    const { web } = bound({ deploymentMode: DAEMON_SET, access: [AgentAccess.service(), AgentAccess.hostPort()], ipFamily: IpFamily.IPV6 }, options);
    expect(web.env).toEqual([{ name: 'NODE', valueFrom: hostIp }, { name: 'PDP', value: 'http://[$(NODE)]:8181' }]);
    expect(bound({ deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()], ipFamily: IpFamily.IPV6 }).web.env[1].value).toBe('http://[$(OPA_HOST_IP)]:8181');
  });

  test('after the address of the node, if the client sets that itself', () => {
    const own = { name: 'OPA_HOST_IP', value: '10.0.0.1' };
    const { web } = bound({ deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()] }, {}, {
      containers: [{ name: 'web', image: 'web:1', env: [{ name: 'A', value: 'a' }, own, { name: 'B', value: 'b' }] }],
    });
    expect(names(web.env)).toEqual(['A', 'OPA_HOST_IP', 'OPA_URL', 'B']);
  });

  test('where a further name of a port leads to the same one', () => {
    const { web } = bound({ engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort({ ports: { http: 1, grpc: 2 } })] });
    expect(env(web)).toMatchObject({ CERBOS_HTTP: 'http://$(CERBOS_HOST_IP):1', CERBOS_GRPC: '$(CERBOS_HOST_IP):2' });
  });

  test('by the socket, whose directory is mounted read-only', () => {
    const { pod, web } = bound({ engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket({ directory: SocketDirectory.prepared() })] }, { containers: ['web'] });
    expect(env(web)).toEqual({ CERBOS_GRPC: 'unix:/run/cerbos/authz/cerbos/cerbos.sock' });
    expect(web.volumeMounts).toEqual([{ name: 'cerbos-socket', mountPath: '/run/cerbos/authz/cerbos', readOnly: true }]);
    expect(pod.volumes).toEqual([{ name: 'cerbos-socket', hostPath: { path: '/run/cerbos/authz/cerbos', type: 'Directory' } }]);
    expect(env(bound({ deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] }).web)).toEqual({ OPA_SOCKET: '/run/opa/authz/opa/opa.sock' });
  });

  test('by a socket of a group, to which the client then belongs', () => {
    const props = { deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket({ group: 2000, directory: SocketDirectory.prepared() })] };
    expect(bound(props).pod.securityContext).toEqual({ supplementalGroups: [2000] });
    const own = { fsGroup: 1, supplementalGroups: [7] };
    expect(bound(props, {}, { securityContext: own }).pod.securityContext).toEqual({ fsGroup: 1, supplementalGroups: [7, 2000] });
    expect(bound(props, {}, { securityContext: { supplementalGroups: [2000] } }).pod.securityContext).toEqual({ supplementalGroups: [2000] });
  });
});

describe('with TLS', () => {
  const tls = AgentTls.fromSecret('opa-cert');
  const caMount = { name: 'opa-ca', mountPath: '/etc/policy-agents/opa', readOnly: true };

  test('a client beside the agent gets the authority of its Secret, and nothing else of it', () => {
    const { pod, web } = bound({ tls });
    expect(env(web)).toEqual({ OPA_URL: 'https://opa.authz.svc:8181', OPA_CA_FILE: '/etc/policy-agents/opa/ca.crt' });
    expect(web.volumeMounts).toEqual([caMount]);
    expect(pod.volumes).toEqual([{ name: 'opa-ca', secret: { secretName: 'opa-cert', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }]);
  });

  test('a client elsewhere must say where its authority is', () => {
    const make = (options?: PolicyClientOptions) => {
      const { agents, clients } = twoCharts();
      const client = deployment(clients, 'Web');
      opaAgent(agents, { tls }).addClient(client, options);
      return synthesised(client).spec.template.spec;
    };
    expect(() => make()).toThrow('the agent has TLS, and its Secret cannot be read from another namespace: give caBundle');
    expect(make({ caBundle: CaBundle.fromConfigMap('trust', 'bundle.pem') }).volumes).toEqual([
      { name: 'opa-ca', configMap: { name: 'trust', items: [{ key: 'bundle.pem', path: 'ca.crt' }] } },
    ]);
    const own = make({ caBundle: CaBundle.ofClient() });
    expect(own).not.toHaveProperty('volumes');
    expect(env(own.containers[0])).toEqual({ OPA_URL: 'https://opa.authz.svc:8181' });
  });

  test('a client of a host address is told the name to verify', () => {
    const { web } = bound({ engine: cerbos(), deploymentMode: DAEMON_SET, access: [AgentAccess.hostPort()], tls: AgentTls.fromSecret('c', { serverName: 'pdp' }) });
    expect(env(web)).toMatchObject({ CERBOS_HTTP: 'https://$(CERBOS_HOST_IP):3592', CERBOS_CA_FILE: '/etc/policy-agents/cerbos/ca.crt', CERBOS_SERVER_NAME: 'pdp' });
  });

  test('by reference the address is that of the ConfigMap, and the file that of the pod', () => {
    expect(env(bound({ tls }, { address: ClientAddress.DISCOVERY }).web)).toEqual({ OPA: { configMapKeyRef: { key: 'OPA', name: 'opa' } }, OPA_CA_FILE: '/etc/policy-agents/opa/ca.crt' });
  });

  test('OPA speaks none on its socket, so nothing is mounted', () => {
    const access = [AgentAccess.service(), AgentAccess.unixSocket()];
    const { pod } = bound({ tls, deploymentMode: DAEMON_SET, access }, { address: ClientAddress.UNIX_SOCKET });
    expect(names(pod.volumes)).toEqual(['opa-socket']);
  });
});

describe('waitForAgent', () => {
  const waiting = (props: Partial<PolicyAgentProps>, options: PolicyClientOptions = {}, pod: any = {}) =>
    bound(props, { waitForAgent: true, ...options }, pod);

  test('OPA waits by itself, after other init containers', () => {
    const { pod } = waiting({}, {}, { initContainers: [{ name: 'migrate', image: 'm:1' }] });
    expect(names(pod.initContainers)).toEqual(['migrate', 'wait-for-opa']);
    expect(pod.initContainers[1]).toMatchObject({
      image: 'openpolicyagent/opa:1.22.4-static',
      command: [
        '/opa', 'eval', '--fail', '--format=discard',
        'r := http.send({"method": "GET", "url": "http://opa.authz.svc:8181/health", "max_retry_attempts": 1000000, "raise_error": false, "timeout": "4s"}); r.status_code == 200',
      ],
      securityContext: { runAsUser: 1000, runAsNonRoot: true, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
  });

  test('OPA waits for its bundles, by host address and socket, too', () => {
    const engine = opa({ bundles: { authz: { url: 'https://bundles.example.com/a.tar.gz', roots: ['authz'] } } });
    const command = (access: AgentAccess) => waiting({ engine, deploymentMode: DAEMON_SET, access: [access] }).pod.initContainers[0].command.at(-1);
    expect(command(AgentAccess.hostPort())).toContain('"url": "http://$(OPA_HOST_IP):8181/health?bundles"');
    expect(command(AgentAccess.unixSocket())).toContain('"url": "unix://localhost/health?bundles&socket=/run/opa/authz/opa/opa.sock"');
  });

  test('Cerbos tries once, by a configuration that is made for it', () => {
    const { pod, objects } = waiting({ engine: cerbos() });
    const [wait] = pod.initContainers;
    expect(wait.command).toEqual(['/cerbos', 'healthcheck', '--config=/wait/cerbos.json', '--kind=http', '--timeout=5s']);
    expect(env(wait)).toMatchObject({ CERBOS_WAIT_ADDRESS: 'cerbos.authz.svc:3592' });
    expect(wait.volumeMounts).toEqual([{ name: 'wait-for-cerbos', mountPath: '/wait', readOnly: true }]);
    expect(pod.volumes).toEqual([{ name: 'wait-for-cerbos', configMap: { name: 'cerbos-wait' } }]);
    expect(JSON.parse(find(objects, 'ConfigMap', 'cerbos-wait').data['cerbos.json']).server.httpListenAddr).toBe('${CERBOS_WAIT_ADDRESS}');
  });

  test('the configuration stands in each namespace of clients', () => {
    const { agents, clients } = twoCharts();
    const agent = new PolicyAgent(agents, 'Cerbos', { engine: cerbos() });
    agent.addClient(deployment(clients, 'Web'), { waitForAgent: true });
    agent.addClient(deployment(clients, 'Shop'), { waitForAgent: true });
    expect(find(synthesise(agents), 'ConfigMap', 'cerbos-wait').metadata.namespace).toBe('web');
  });

  test('where one try is all, the caller names an image that waits', () => {
    const job = (engine: any, options?: PolicyClientOptions) => {
      const chart = testChart();
      const agent = new PolicyAgent(chart, 'Pdp', { engine });
      const client = new kplus28.Job(chart, 'Job', { containers: [{ image: 'job:1' }], restartPolicy: kplus28.RestartPolicy.NEVER });
      agent.addClient(client, { waitForAgent: true, ...options });
      return synthesise(chart).find(({ kind }) => kind === 'Job').spec.template.spec;
    };
    expect(() => job(cerbos())).toThrow('waitForAgent: one try is all that the agent\'s image makes, and restartPolicy Never lets the pod fail by it');
    expect(job(opa()).initContainers[0].name).toBe('wait-for-pdp');
    const [wait] = job(cerbos(), { waitImage: 'waits:1' }).initContainers;
    expect(wait).toMatchObject({ name: 'wait-for-pdp', image: 'waits:1', env: [{ name: 'CERBOS_HTTP', value: 'http://pdp.authz.svc:3592' }, { name: 'CERBOS_GRPC' }] });
    expect(wait).not.toHaveProperty('command');
  });

  test('nobody who has no certificate can wait for one who asks for it', () => {
    const tls = AgentTls.fromSecret('t', { clientCertificates: ClientCertificates.REQUIRED });
    expect(() => waiting({ tls })).toThrow('waitForAgent: the agent answers only those who show a certificate');
    expect(waiting({ tls }, { waitImage: 'waits:1' }).pod.initContainers[0].volumeMounts).toHaveLength(1);
  });
});

test('an engine of the user\'s own tells its clients what it wants', () => {
  const engine = {
    engineName: 'spicy',
    defaultDeploymentMode: DeploymentMode.DEPLOYMENT,
    bind: () => ({
      containers: [{ name: 'spicy', image: 'spicy:1' }],
      ports: [{ name: 'api', port: 9000 }],
      startupProbe: {},
      livenessProbe: {},
      readinessProbe: {},
      shutdownGraceSeconds: 1,
      user: 7,
      resources: {},
      clients: { variables: { SPICY: 'spicy://{host}:{api}/{unknown-word}', SPICY_ADDRESS: '{host}:{api}', PLAIN: '${NOT_A_WORD}' }, waitContainer: { command: ['/wait', '{host}'] } },
    }),
  };
  const { web, pod } = bound({ engine } as any, { waitForAgent: true });
  expect(env(web)).toEqual({ SPICY_ADDRESS: 'opa.authz.svc:9000', PLAIN: '${NOT_A_WORD}' });
  expect(pod.initContainers[0]).toMatchObject({ image: 'spicy:1', command: ['/wait', 'opa.authz.svc'], securityContext: { runAsUser: 7 } });
});
