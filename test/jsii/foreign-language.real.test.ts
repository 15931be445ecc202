import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { App, Chart } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { json, Kernel, member, ObjectReference, struct } from './kernel';
import {
  AgentAccess, CerbosEngine, CerbosStorage, DeploymentMode, OpaEngine, PolicyAgent, PolicyAgentProps, PolicyFiles,
} from '../../lib';
import { packInstalled, packLibrary } from '../package/pack';

let kernel: Kernel;
let app: ObjectReference;
let chart: ObjectReference;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'foreign-language-'));
  try {
    const packages = [...packInstalled(directory, ['constructs', 'cdk8s', 'cdk8s-plus-28']), packLibrary(directory)];
    kernel = await Kernel.start();
    for (const packed of packages) await kernel.load(packed);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);

afterAll(async () => kernel?.stop());

beforeEach(async () => {
  app = await kernel.create('cdk8s.App');
  chart = await kernel.create('cdk8s.Chart', app, 'authz', struct('cdk8s.ChartProps', { namespace: 'authz' }));
});

describe('gives the same YAML as TypeScript', () => {
  const url = 'https://bundles.example.com/authz.tar.gz';

  test('with structs, maps, enums, numbers and free JSON', async () => {
    const engine = await kernel.create(ours('OpaEngine'), struct(ours('OpaEngineProps'), {
      bundles: json({ authz: struct(ours('OpaBundle'), { url, roots: ['authz'], persist: true, sizeLimitBytes: 1e6 }) }),
      decisions: ['authz/allow'],
      config: json({ decision_logs: { console: true } }),
    }));
    await createAgent('Opa', {
      engine,
      deploymentMode: member(ours('DeploymentMode'), 'DEPLOYMENT'),
      roleGroups: json({ default: struct(ours('RoleGroup'), { replicas: 3, resources: struct(ours('AgentResources'), { memoryLimit: '1Gi' }) }) }),
      podOverrides: json({ spec: { containers: [{ name: 'opa', env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }] }] } }),
    });

    expect(await synthesise()).toBe(synthesiseHere('Opa', {
      engine: new OpaEngine({
        bundles: { authz: { url, roots: ['authz'], persist: true, sizeLimitBytes: 1e6 } },
        decisions: ['authz/allow'],
        config: { decision_logs: { console: true } },
      }),
      deploymentMode: DeploymentMode.DEPLOYMENT,
      roleGroups: { default: { replicas: 3, resources: { memoryLimit: '1Gi' } } },
      podOverrides: { spec: { containers: [{ name: 'opa', env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }] }] } },
    }));
  });

  test('with static factories', async () => {
    const files = { 'document.yaml': 'apiVersion: api.cerbos.dev/v1\n' };
    const policies = await kernel.invokeStatic(ours('PolicyFiles'), 'inline', json(files));
    const storage = await kernel.invokeStatic(ours('CerbosStorage'), 'disk', policies);
    const engine = await kernel.create(ours('CerbosEngine'), struct(ours('CerbosEngineProps'), { storage }));
    const ports = { http: 13592, grpc: 13593 };
    const hostPort = await kernel.invokeStatic(ours('AgentAccess'), 'hostPort', struct(ours('HostPortAccessOptions'), { ports: json(ports) }));
    await createAgent('Cerbos', { engine, deploymentMode: member(ours('DeploymentMode'), 'DAEMON_SET'), access: [hostPort] });

    expect(await synthesise()).toBe(synthesiseHere('Cerbos', {
      engine: new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline(files)) }),
      deploymentMode: DeploymentMode.DAEMON_SET,
      access: [AgentAccess.hostPort({ ports })],
    }));
  });
});

test('an agent is a pod selector for cdk8s-plus', async () => {
  const agent = await createAgent('Own', { engine: await ownEngine() });
  const client = await kernel.create('cdk8s-plus-28.Deployment', chart, 'Client', struct('cdk8s-plus-28.DeploymentProps', {
    containers: [struct('cdk8s-plus-28.ContainerProps', { image: 'client' })],
  }));
  await kernel.invoke(await kernel.get(client, 'scheduling'), 'colocate', agent);

  const [{ spec }] = (await objects()).filter(({ metadata }) => metadata.name.includes('client'));
  const [term] = spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  expect(json(term.labelSelector.matchLabels)).toEqual(await kernel.get(agent, 'podLabels'));
});

describe('clients of another language', () => {
  const client = async () => kernel.create('cdk8s-plus-28.Deployment', chart, 'Client', struct('cdk8s-plus-28.DeploymentProps', {
    containers: [struct('cdk8s-plus-28.ContainerProps', { image: 'client' })],
  }));

  test('are named, with what their engine tells them', async () => {
    const agent = await createAgent('Own', { engine: await ownEngine() });
    const options = struct(ours('PolicyClientOptions'), { weight: 30, variables: json({ DECIDER_URL: 'PDP' }), waitForAgent: true });
    await kernel.invoke(agent, 'addClient', await client(), options);
    const [{ spec: { template: { spec } } }] = (await objects()).filter(({ metadata }) => metadata.name.includes('client'));
    expect(spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight).toBe(30);
    expect(spec.containers[0].env).toEqual([{ name: 'PDP', value: 'http://own.authz.svc:8080' }]);
    expect(spec.initContainers[0]).toMatchObject({ name: 'wait-for-own', image: 'example.com/decider:1', command: ['/wait', 'own.authz.svc'] });
  });

  test('have the agent in their pods', async () => {
    const agent = await createAgent('Own', { engine: await ownEngine(), deploymentMode: member(ours('DeploymentMode'), 'SIDECAR') });
    await kernel.invoke(agent, 'addClient', await client());
    const [{ spec: { template: { spec } } }] = (await objects()).filter(({ metadata }) => metadata.name.includes('client'));
    expect(spec.initContainers[0]).toMatchObject({ name: 'own-decider', restartPolicy: 'Always' });
  });

  test('are found', async () => {
    const agent = await kernel.invokeStatic(ours('PolicyAgent'), 'fromDiscovery', chart, 'Pdp', struct(ours('DiscoveredAgentProps'), {
      instanceName: 'pdp', podLabels: json({ app: 'pdp' }),
    }));
    const labelled = await client();
    await kernel.invoke(await kernel.get(labelled, 'metadata'), 'addLabel', 'cdk8s-platform-services/policy-agent', 'pdp');
    await kernel.create(ours('AuthzClientAffinity'), chart, 'NearPdp', struct(ours('AuthzClientAffinityProps'), { agent }));
    const [{ spec }] = (await objects()).filter(({ metadata }) => metadata.name.includes('client'));
    const [{ podAffinityTerm }] = spec.template.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(podAffinityTerm.labelSelector.matchLabels).toEqual({ app: 'pdp' });
  });
});

describe('an engine of another language', () => {
  test('runs in a Deployment, its own default', async () => {
    await createAgent('Own', { engine: await ownEngine() });

    const [workload] = (await objects()).filter(({ kind }) => kind === 'Deployment');
    expect(workload.metadata).toMatchObject({ name: 'own-default', labels: { 'app.kubernetes.io/name': 'decider' } });
    expect(workload.spec.template.spec.containers).toEqual([expect.objectContaining({
      name: 'decider',
      image: 'example.com/decider:1',
      args: ['--name=own', '--mode=DEPLOYMENT'],
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      resources: { requests: { cpu: '50m' }, limits: { memory: '64Mi' } },
    })]);
  });

  test('runs in a DaemonSet, and brings ConfigMaps', async () => {
    await createAgent('Own', { engine: await ownEngine(), deploymentMode: member(ours('DeploymentMode'), 'DAEMON_SET') });

    const all = await objects();
    const [workload] = all.filter(({ kind }) => kind === 'DaemonSet');
    expect(workload.spec.template.spec.containers[0].args).toEqual(['--name=own', '--mode=DAEMON_SET']);
    expect(all.filter(({ kind }) => kind === 'ConfigMap')).toEqual([expect.objectContaining({
      metadata: expect.objectContaining({ name: 'own-config' }),
      data: { 'config.json': '{}' },
    })]);
  });

  test('fails with the error of the engine and the place in the tree', async () => {
    const engine = await kernel.implement(ours('IPolicyEngine'), {
      properties: { engineName: 'decider', defaultDeploymentMode: member(ours('DeploymentMode'), 'DEPLOYMENT') },
      methods: { bind: async () => { throw new Error('no licence'); } },
    });
    await expect(createAgent('Own', { engine })).rejects.toThrow('[authz/Own] no licence');
  });
});

describe('fails', () => {
  test('without a required prop, which is named', async () => {
    await expect(createAgent('Agent', {})).rejects.toThrow("Missing required properties for cdk8s-platform-services.PolicyAgentProps: 'engine'");
  });

  test('with a refused combination, by the message of TypeScript', async () => {
    const access = [await kernel.invokeStatic(ours('AgentAccess'), 'hostPort')];
    await expect(createAgent('Own', { engine: await ownEngine(), access })).rejects.toThrow('[authz/Own] access by hostPort with deploymentMode Deployment');
  });
});

/** An engine whose members are implemented on this side of the kernel. */
async function ownEngine(): Promise<ObjectReference> {
  const probe = json({ httpGet: { path: '/health', port: 'http' } });
  return kernel.implement(ours('IPolicyEngine'), {
    properties: { engineName: 'decider', defaultDeploymentMode: member(ours('DeploymentMode'), 'DEPLOYMENT') },
    methods: {
      bind: async (context: ObjectReference) => {
        const mode: string = (await kernel.get(context, 'deploymentMode'))['$jsii.enum'].split('/')[1];
        const args = [`--name=${await kernel.get(context, 'instanceName')}`, `--mode=${mode}`];
        return struct(ours('PolicyEngineBinding'), {
          containers: [json({ name: 'decider', image: 'example.com/decider:1', args })],
          configMaps: [struct(ours('PolicyEngineConfigMap'), { suffix: 'config', data: json({ 'config.json': '{}' }) })],
          ports: [struct(ours('PolicyEnginePort'), { name: 'http', port: 8080 })],
          startupProbe: probe,
          livenessProbe: probe,
          readinessProbe: probe,
          shutdownGraceSeconds: 5,
          user: 1000,
          resources: struct(ours('AgentResources'), { cpuRequest: '50m', memoryLimit: '64Mi' }),
          clients: struct(ours('PolicyEngineClients'), {
            variables: json({ DECIDER_URL: 'http://{host}:{http}' }), waitContainer: json({ command: ['/wait', '{host}'] }),
          }),
        });
      },
    },
  });
}

async function createAgent(id: string, props: Record<string, unknown>): Promise<ObjectReference> {
  return kernel.create(ours('PolicyAgent'), chart, id, struct(ours('PolicyAgentProps'), props));
}

async function synthesise(): Promise<string> {
  return kernel.invoke(app, 'synthYaml');
}

async function objects(): Promise<any[]> {
  return parseAllDocuments(await synthesise()).map((document) => document.toJS());
}

function synthesiseHere(id: string, props: PolicyAgentProps): string {
  const here = new App();
  new PolicyAgent(new Chart(here, 'authz', { namespace: 'authz' }), id, props);
  return here.synthYaml();
}

/** The name by which the kernel knows a type of this library. */
function ours(type: string): string {
  return `cdk8s-platform-services.${type}`;
}
