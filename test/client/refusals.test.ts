import { ApiObject, App, Chart } from 'cdk8s';
import {
  Acknowledgement, AgentAccess, CaBundle, ClientAddress, DeploymentMode, InternalTrafficPolicy, NodeRequirement, PolicyAgentProps,
  PolicyClientOptions, Toleration,
} from '../../lib';
import { deployment, opaAgent, synthesised } from '../support/clients';
import { synthesise, testChart } from '../support/synth';

const { DAEMON_SET } = DeploymentMode;

interface Case {
  readonly agent?: Partial<PolicyAgentProps>;
  readonly options?: PolicyClientOptions;
  readonly pod?: any;
}

function bind({ agent, options, pod }: Case): any {
  const chart = testChart();
  const client = deployment(chart, 'Web', pod);
  opaAgent(chart, agent).addClient(client, options);
  return synthesised(client);
}

const ssd = [NodeRequirement.in('disk', ['ssd'])];
const onSsd = { deploymentMode: DAEMON_SET, roleGroups: { default: { nodes: ssd } }, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] };
const everywhere = { deploymentMode: DAEMON_SET };
const hostPort = { access: [AgentAccess.hostPort()] };
const socket = { access: [AgentAccess.unixSocket()] };
const gpu = [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }];

/** What is refused, the error, and what is allowed instead. */
const REFUSALS: [string, Case, string | RegExp, ...Case[]][] = [
  [
    'a client of a Local Service on nodes without an agent', { agent: onSsd },
    /bound to the agent of its own node \(SERVICE\), but may stand on a node with another value of label disk, where agent opa does not: .*CLIENT_BEYOND_AGENT/,
    { agent: onSsd, pod: { nodeSelector: { disk: 'ssd' } } },
    { agent: { ...onSsd, internalTrafficPolicy: InternalTrafficPolicy.CLUSTER } },
    { agent: onSsd, options: { address: ClientAddress.NONE } },
    { agent: onSsd, options: { acknowledge: [Acknowledgement.CLIENT_BEYOND_AGENT] } },
    { agent: everywhere },
  ],
  ['a client of a host address there', { agent: { ...onSsd, ...hostPort } }, /\(HOST_PORT\), but may stand on/, { agent: { ...onSsd, ...hostPort }, pod: { nodeSelector: { disk: 'ssd' } } }],
  ['a client of a socket there', { agent: { ...onSsd, ...socket } }, /\(UNIX_SOCKET\), but may stand on/, { agent: { ...everywhere, ...socket } }],
  [
    'a client with a required affinity to more nodes',
    {
      agent: onSsd,
      pod: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } } } },
    },
    /may stand on a node with another value of label disk/,
    {
      agent: onSsd,
      pod: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }] } } } },
    },
  ],
  [
    'a client that tolerates what its agent does not', { agent: everywhere, pod: { tolerations: gpu } }, /may stand on a node with taint gpu:NoSchedule, where agent opa does not/,
    { agent: { ...everywhere, roleGroups: { default: { tolerations: [Toleration.exists('gpu')] } } }, pod: { tolerations: gpu } },
    { agent: { ...everywhere, roleGroups: { default: { tolerations: [Toleration.everyTaint()] } } }, pod: { tolerations: [...gpu, { operator: 'Exists' }] } },
    { agent: everywhere, pod: { tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }] } },
    { agent: everywhere, pod: { tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'PreferNoSchedule' }] } },
    { pod: { tolerations: gpu } },
  ],
  [
    'a client that tolerates another value', {
      agent: { ...everywhere, roleGroups: { default: { tolerations: [Toleration.equal('gpu', 'a')] } } }, pod: { tolerations: [{ key: 'gpu', value: 'b' }] },
    },
    /may stand on a node with taint gpu=b,/,
    { agent: { ...everywhere, roleGroups: { default: { tolerations: [Toleration.equal('gpu', 'b')] } } }, pod: { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'b' }] } },
  ],
  [
    'a client of a Local Service before a Deployment',
    { agent: { internalTrafficPolicy: InternalTrafficPolicy.LOCAL, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] } }, /but may stand on most nodes/,
    {
      agent: { internalTrafficPolicy: InternalTrafficPolicy.LOCAL, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] },
      options: { acknowledge: [Acknowledgement.CLIENT_BEYOND_AGENT] },
    },
  ],
  ['an address that the agent has not', { options: { address: ClientAddress.HOST_PORT } }, '[test/Opa] address HOST_PORT: the agent is reached by SERVICE; give it', { agent: { ...everywhere, ...hostPort } }],
  ['a discovery ConfigMap that there is not', { agent: { ...everywhere, ...hostPort }, options: { address: ClientAddress.DISCOVERY } }, 'address DISCOVERY: the agent is reached by HOST_PORT'],
  ['certificates without TLS', { options: { caBundle: CaBundle.fromSecret('ca') } }, 'caBundle would do nothing: the agent has no TLS'],
  ['a container that there is not', { options: { containers: ['x'] } }, 'there is no container x; there are web, log', { options: { containers: ['log'] } }],
  ['another name for a variable that there is not', { options: { variables: { OPA: 'X' } } }, 'there is no variable OPA to call otherwise; there are OPA_URL'],
  ['variables without an address', { options: { address: ClientAddress.NONE, containers: ['web'] } }, 'containers would do nothing: the client is told no address'],
  ['an image that waits for nothing', { options: { waitImage: 'x' } }, 'waitImage has no meaning without waitForAgent'],
  ['a volume of that name', { agent: { ...everywhere, ...socket }, pod: { volumes: [{ name: 'opa-socket', emptyDir: {} }] } }, 'volume opa-socket exists already, and is another one'],
];

describe.each(REFUSALS)('%s', (_, refused, error, ...allowed) => {
  test('fails', () => {
    expect(() => bind(refused)).toThrow(error);
  });

  for (const each of allowed) {
    test(`but not ${JSON.stringify(each)}`, () => {
      bind(each);
    });
  }
});

describe('fails with', () => {
  test('the agent itself', () => {
    const chart = testChart();
    const agent = opaAgent(chart);
    agent.addClient(agent.workloads.default);
    expect(() => synthesise(chart)).toThrow('client test/Opa/Workload-default (Deployment/opa-default): it is the agent opa itself');
  });

  test('pods that the agent\'s labels select', () => {
    const chart = testChart();
    const agent = opaAgent(chart);
    const client = new ApiObject(chart, 'Copy', {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'copy', labels: agent.podLabels }, spec: { containers: [{ name: 'web', image: 'web:1' }] },
    });
    agent.addClient(client);
    expect(() => synthesise(chart)).toThrow('client test/Copy (Pod/copy): it is the agent opa itself');
  });

  test('what makes no pods', () => {
    const chart = testChart();
    const agent = opaAgent(chart);
    agent.addClient(new ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' } }));
    expect(() => synthesise(chart)).toThrow('[test/Opa] client test/Map holds nothing whose pods could ask the agent, but v1 ConfigMap: name a workload');
    const empty = testChart();
    opaAgent(empty).addClient(new Chart(empty, 'Empty'));
    expect(() => synthesise(empty)).toThrow('client test/Empty holds nothing whose pods could ask the agent, but no objects');
  });

  test('a namespace that may be another one', () => {
    const app = new App();
    const [known, unknown] = [new Chart(app, 'known', { namespace: 'web' }), new Chart(app, 'unknown')];
    opaAgent(unknown).addClient(deployment(known, 'Web'));
    expect(() => app.synthYaml()).toThrow('client known/Web (Deployment/web): it is in namespace web, but the agent\'s namespace is not known at synth');
  });

  test('a reference from a namespace that may be another one', () => {
    const app = new App();
    const agent = opaAgent(new Chart(app, 'known', { namespace: 'authz' }));
    const client = deployment(new Chart(app, 'unknown'), 'Web');
    expect(() => agent.addClient(client, { address: ClientAddress.DISCOVERY })).toThrow('[known/Opa] ConfigMap opa must stand in the client\'s namespace, which is not known at synth');
    agent.addClient(client);
    expect(synthesised(client).spec.template.spec.containers[0].env).toEqual([{ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' }]);
  });
});
