import { execFile } from 'child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { AgentAccess, CerbosEngine, CerbosStorage, ClientAddress, DeploymentMode, PolicyAgent, PolicyAgentProps, PolicyFiles } from '../../lib';
import { deployment } from '../support/clients';
import { call, eventually, freePort } from '../support/http';
import { Pod } from '../support/pod';
import { CERBOS } from '../support/programs';
import { synthesise, testChart } from '../support/synth';

jest.setTimeout(60_000);

const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: order
  version: default
  rules: [{ actions: [read], effect: EFFECT_ALLOW, roles: [clerk] }]
`;
const pods: Pod[] = [];
afterEach(async () => {
  await Promise.all(pods.splice(0).map(async (pod) => pod.clean()));
});

/** A client, and a Cerbos whose ports nobody else has here. */
async function objectsOf(props: Partial<PolicyAgentProps>, options = {}): Promise<any[]> {
  const chart = testChart();
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const engine = new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'order.yaml': POLICY })), httpPort, grpcPort });
  new PolicyAgent(chart, 'Cerbos', { engine, ...props }).addClient(deployment(chart, 'Web'), options);
  return synthesise(chart);
}

async function start(objects: any[], workload: string, container: string): Promise<Pod> {
  const pod = await Pod.start(objects, { programs: { '/cerbos': CERBOS }, container }, workload);
  pods.push(pod);
  return pod;
}

function clientOf(objects: any[]): any {
  return objects.find(({ metadata }) => metadata.name === 'web').spec.template.spec;
}

const variable = (container: any, name: string): string => container.env.find((each: any) => each.name === name).value;

async function decide(address: string, roles: string[]): Promise<string> {
  const body = { principal: { id: 'p', roles }, resources: [{ resource: { kind: 'order', id: '1' }, actions: ['read'] }] };
  const { json } = await call({ port: Number(new URL(address).port), path: '/api/check/resources', body });
  return json.results[0].actions.read;
}

describe('the real Cerbos in the pod of its client', () => {
  test('answers at the address that the client is told, by loopback, and only then lets it start', async () => {
    const objects = await objectsOf({ deploymentMode: DeploymentMode.SIDECAR });
    const pod = await start(objects, 'web', 'cerbos-cerbos');
    await eventually('started', () => pod.startup());
    expect([await pod.live(), await pod.ready()]).toEqual([true, true]);
    const address = variable(clientOf(objects).containers[0], 'CERBOS_HTTP');
    expect([await decide(address, ['clerk']), await decide(address, ['guest'])]).toEqual(['EFFECT_ALLOW', 'EFFECT_DENY']);
    expect(pod.log).not.toContain('"::');
    expect(await pod.stop()).toBe(0);
  });

  test('by a socket', async () => {
    const objects = await objectsOf({ deploymentMode: DeploymentMode.SIDECAR, access: [AgentAccess.unixSocket()] });
    const pod = await start(objects, 'web', 'cerbos-cerbos');
    await eventually('started', () => pod.startup());
    expect(variable(clientOf(objects).containers[0], 'CERBOS_GRPC')).toBe('unix:/run/cerbos/authz/cerbos/cerbos.sock');
  });
});

describe('an init container that waits for the real Cerbos', () => {
  /** Runs what the client's init container would, with the addresses of this machine. */
  async function wait(objects: any[], address: string): Promise<number> {
    const [container] = clientOf(objects).initContainers;
    const { data } = objects.find(({ metadata }) => metadata.name === 'cerbos-wait');
    const directory = mkdtempSync(join(tmpdir(), 'wait-'));
    writeFileSync(join(directory, 'cerbos.json'), data['cerbos.json']);
    const [, ...args] = container.command.map((word: string) => word.replace('/wait', directory));
    // The image sets this, and it must not get in the way.
    const env = { CERBOS_CONFIG: '__default__', CERBOS_WAIT_ADDRESS: address };
    return new Promise((resolve) => {
      execFile(CERBOS, args, { env }, (error) => {
        rmSync(directory, { recursive: true });
        resolve(error ? Number(error.code) : 0);
      });
    });
  }

  test('ends with 0 when it answers, and not before', async () => {
    const objects = await objectsOf({}, { waitForAgent: true });
    const [container] = clientOf(objects).initContainers;
    expect(variable(container, 'CERBOS_WAIT_ADDRESS')).toMatch(/^cerbos\.authz\.svc:\d+$/);
    const port = Number(variable(container, 'CERBOS_WAIT_ADDRESS').split(':')[1]);
    expect(await wait(objects, `127.0.0.1:${port}`)).toBe(1);
    const pod = await start(objects, 'cerbos-default', 'cerbos');
    await pod.untilReady();
    expect(await wait(objects, `127.0.0.1:${pod.port('http')}`)).toBe(0);
  });

  test('asks through the socket', async () => {
    const props = { deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.service(), AgentAccess.unixSocket()] };
    const objects = await objectsOf(props, { waitForAgent: true, address: ClientAddress.UNIX_SOCKET });
    const [container] = clientOf(objects).initContainers;
    const pod = await start(objects, 'cerbos-default', 'cerbos');
    await pod.untilReady();
    const path = variable(container, 'CERBOS_WAIT_ADDRESS').replace('unix:', '');
    expect(await wait(objects, `unix:${pod.path(path)}`)).toBe(0);
    expect(await wait(objects, `unix:${pod.path(path)}.gone`)).toBe(1);
  });
});
