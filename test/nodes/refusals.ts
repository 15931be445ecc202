import { agentManifests, ENGINES, OPA, TestEngine, Way } from './agents';
import { agentPods, askFrom, deploy, dropNamespace, makeNamespace, NODES, sleep } from './cluster';
import {
  Acknowledgement, AgentAccess, DeploymentMode, InternalTrafficPolicy, NodeRequirement, OpaEngine, PolicyAgentProps, PolicyFiles,
} from '../../lib';
import { NodeCluster } from '../rig/node-cluster';
import { eventually } from '../support/http';

const { DAEMON_SET, DEPLOYMENT } = DeploymentMode;
const LOCAL = { internalTrafficPolicy: InternalTrafficPolicy.LOCAL, acknowledge: [Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE] };

/** What is refused at synth goes wrong on nodes; here it is done nevertheless. */
export function refusals(cluster: () => NodeCluster) {
  test.concurrent.each<[string, Partial<PolicyAgentProps>]>([
    ['a Deployment', { deploymentMode: DEPLOYMENT, roleGroups: { default: { replicas: 1, nodes: [NodeRequirement.in('kubernetes.io/hostname', ['n1'])] } }, ...LOCAL }],
    ['a DaemonSet that leaves nodes out', { deploymentMode: DAEMON_SET, roleGroups: { default: { nodes: [NodeRequirement.in('kubernetes.io/hostname', ['n1'])] } }, ...LOCAL }],
    [
      'a DaemonSet that leaves nodes out, near or not', {
        deploymentMode: DAEMON_SET,
        roleGroups: { default: { nodes: [NodeRequirement.in('kubernetes.io/hostname', ['n1'])] } },
        ...LOCAL,
        objectOverrides: [{ kind: 'Service', metadata: { name: 'agent' }, spec: { trafficDistribution: 'PreferSameZone' } }],
      },
    ],
  ])('Local on %s: clients on nodes without a pod get no answer, not even a refusal', async (title, props) => {
    await inNamespace(title, async (namespace) => {
      await deploy(cluster().kubectl, agentManifests(OPA, namespace, props));
      const host = `agent.${namespace}.svc`;
      await eventually('an answer where the pod is', async () => (await question(OPA, 'service', 'n1', { host, namespace })).good);
      for (const node of ['n2', 'n3']) {
        const { good, text } = await question(OPA, 'service', node, { host, namespace });
        expect({ good, text }).toEqual({ good: false, text: expect.stringMatching(/deadline exceeded|timeout/) });
      }
    });
  });

  test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('surge with a socket, %s: the old pod takes the socket of the new one away', async (_, engine) => {
    await inNamespace(`surge-${engine.name}`, async (namespace) => {
      const objects = agentManifests(engine, namespace, {
        deploymentMode: DAEMON_SET,
        access: [AgentAccess.unixSocket()],
        // What takes a minute and a half by default shows sooner.
        podOverrides: { spec: { containers: [{ name: engine.name.toLowerCase(), livenessProbe: { periodSeconds: 5 } }] } },
        objectOverrides: [{ kind: 'DaemonSet', metadata: { name: 'agent-default' }, spec: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } }],
      });
      await deploy(cluster().kubectl, objects);
      await cluster().kubectl.run('rollout', 'restart', 'daemonset/agent-default', '--namespace', namespace);
      // Probes go through the socket, so the kubelet restarts what lost it: the rollout is an outage, and ends by restarts.
      await eventually('agents without their socket are restarted', async () => (await agentPods(cluster().kubectl, namespace))
        .some(({ status }) => status.containerStatuses?.some(({ restartCount }: any) => restartCount > 0)), 120, 1000);
    });
  });

  test.concurrent.each(ENGINES.map((engine) => [engine.name, engine] as const))('a socket in a directory of the kubelet, %s: another user cannot bind it', async (_, engine) => {
    await inNamespace(`bind-${engine.name}`, async (namespace) => {
      const { kubectl } = cluster();
      await kubectl.apply(agentManifests(engine, namespace, {
        deploymentMode: DAEMON_SET,
        access: [AgentAccess.unixSocket()],
        podOverrides: { spec: { securityContext: { runAsUser: 1000, runAsNonRoot: true } } },
      }));
      await eventually('it ends, and says why', async () => {
        const logs = await Promise.all((await agentPods(kubectl, namespace)).map(async ({ metadata }) => kubectl.try(['logs', metadata.name, '--namespace', namespace])));
        return logs.length === NODES.length && logs.every(({ stdout }) => /permission denied/.test(stdout));
      }, 60, 1000);
    });
  });

  test.concurrent('two agents with one socket directory: clients of the first one are answered by the second one', async () => {
    await inNamespace('shared-socket', async (namespace) => {
      const { kubectl } = cluster();
      const access = [AgentAccess.unixSocket({ hostDirectory: `/run/opa/${namespace}/agent` })];
      const [first, second] = [OPA.engine(), denyingEngine()].map((engine, index) => agentManifests(OPA, namespace, {
        engine, access, deploymentMode: DAEMON_SET, instanceName: ['agent', 'other'][index],
      }));
      await deploy(kubectl, first);
      expect(await question(OPA, 'socket', 'n1', { host: '', namespace })).toMatchObject({ good: true });
      await kubectl.apply(second);
      await eventually('alice is denied', async () => /"allow":false/.test((await question(OPA, 'socket', 'n1', { host: '', namespace })).text), 60, 500);
    });
  });

  test.concurrent('a socket with a Deployment: other nodes have none, and beside a DaemonSet it takes away the one of its node', async () => {
    await inNamespace('deployed-socket', async (namespace) => {
      const { kubectl } = cluster();
      const ask = async (node: string) => question(OPA, 'socket', node, { host: '', namespace });
      const objects = agentManifests(OPA, namespace, { deploymentMode: DAEMON_SET, access: [AgentAccess.unixSocket()] });
      const [daemonSet] = objects.filter(({ kind }) => kind === 'DaemonSet');
      const others = objects.filter((object) => object !== daemonSet);
      await deploy(kubectl, [...others, deploymentOf(daemonSet, 'n1')]);
      expect(await ask('n1')).toMatchObject({ good: true });
      expect((await ask('n2')).text).toMatch(/no such file/);

      await deploy(kubectl, objects);
      expect(await ask('n2')).toMatchObject({ good: true });
      await kubectl.apply([deploymentOf(daemonSet, 'n2')]);
      await kubectl.run('rollout', 'status', 'deployment/agent-default', '--namespace', namespace, '--timeout=60s');
      await kubectl.run('delete', 'deployment/agent-default', '--namespace', namespace);
      await eventually('the socket is gone, though the pod of the DaemonSet has not changed', async () => /no such file/.test((await ask('n2')).text), 60, 200);
    });
  });

  test.concurrent.each([[undefined, true], [1, false]])('a grace period of %s seconds: a request that is open at the stop is answered: %s', async (terminationGracePeriodSeconds, answered) => {
    await inNamespace(`grace-${terminationGracePeriodSeconds ?? 'default'}`, async (namespace) => {
      const { kubectl } = cluster();
      await deploy(kubectl, agentManifests(OPA, namespace, {
        engine: slowEngine(), deploymentMode: DEPLOYMENT, podOverrides: { spec: { terminationGracePeriodSeconds } },
      }));
      const args = [`--url=http://agent.${namespace}.svc:8181/v1/data/slow/verdict`, '--body={}', '--expect=true', '--timeout=30s'];
      await eventually('the Service leads to it', async () => (await askFrom(cluster(), 'n1', args))[0].good, 60);
      const answer = askFrom(cluster(), 'n1', args);
      await sleep(500);
      await kubectl.run('delete', 'pods', '--selector=app.kubernetes.io/name=opa', '--namespace', namespace, '--wait=false');
      expect((await answer)[0].good).toBe(answered);
    });
  });

  async function inNamespace(title: string, work: (namespace: string) => Promise<void>) {
    const namespace = `refused-${title.toLowerCase().replace(/\W/g, '-')}`;
    await makeNamespace(cluster().kubectl, namespace, 'privileged');
    await work(namespace);
    await dropNamespace(cluster().kubectl, namespace);
  }

  async function question(engine: TestEngine, way: Way, node: string, where: { readonly host: string; readonly namespace: string }) {
    return (await askFrom(cluster(), node, [...engine.ask(way, where), `--body=${engine.body('alice')}`, `--expect=${engine.allowed}`]))[0];
  }
}

/** A Deployment of one pod of a DaemonSet, on a node. */
function deploymentOf({ apiVersion, metadata, spec: { selector, template } }: any, node: string): any {
  const labels = { 'cdk8s-platform-services/workload-kind': 'Deployment' };
  return {
    apiVersion,
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: { ...selector.matchLabels, ...labels } },
      template: {
        metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...labels } },
        spec: { ...template.spec, nodeName: node },
      },
    },
  };
}

/** Denies everything. */
function denyingEngine() {
  return new OpaEngine({ policies: [PolicyFiles.inline({ 'authz.rego': 'package authz\n\nverdict := {"allow": false}\n' })], decisions: ['authz/verdict'] });
}

/** Takes some seconds for a decision. */
function slowEngine() {
  return new OpaEngine({
    policies: [PolicyFiles.inline({ 'slow.rego': 'package slow\n\nverdict if count([1 | some x in numbers.range(1, 1500); some y in numbers.range(1, 1000); x * y < 0]) == 0\n' })],
    decisions: ['slow/verdict'],
  });
}
