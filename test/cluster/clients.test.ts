import { ApiObject, App, Chart } from 'cdk8s';
import { installCustomKinds, known } from './custom-kinds';
import { AuthzClientAffinity } from '../../lib';
import { ControlPlane } from '../rig/control-plane';
import { deployment, opaAgent } from '../support/clients';
import { CUSTOM_RESOURCES } from '../support/custom-resources';
import { synthesise } from '../support/synth';

jest.setTimeout(300_000);

let plane: ControlPlane;

beforeAll(async () => {
  plane = await ControlPlane.start();
  await plane.kubectl.run('create', 'namespace', 'authz');
  await plane.kubectl.run('create', 'namespace', 'web');
  await installCustomKinds(plane.kubectl, CUSTOM_RESOURCES);
}, 240_000);

afterAll(async () => plane?.stop());

/** Whether a term to agent `opa` stands anywhere in an object. */
function hasTerm(object: any): boolean {
  return JSON.stringify(object).includes('"app.kubernetes.io/instance":"opa"');
}

describe.each([['named by addClient', true], ['found', false]])('a client that is %s', (_, named) => {
  const asking = named ? CUSTOM_RESOURCES : CUSTOM_RESOURCES.filter((object) => JSON.stringify(object).includes('"configMapName":"opa"') || object.kind === 'Kafka');

  test.each(asking.map((object) => [`${object.kind}.${object.apiVersion}`, object]))('%s is accepted by the real API server, which keeps the term', async (__, manifest) => {
    const chart = new Chart(new App(), 'test', { namespace: 'authz' });
    const agent = opaAgent(chart);
    const client = new ApiObject(chart, 'Client', manifest);
    if (named) agent.addClient(client);
    else new AuthzClientAffinity(chart, 'NearOpa', { agent });
    synthesise(chart);
    const json = client.toJson();
    expect(hasTerm(json)).toBe(true);
    if (known([json]).length === 0) return;
    expect(await plane.kubectl.refusal([json])).toBeUndefined();
    const [group] = manifest.apiVersion.split('/');
    expect(hasTerm(await plane.kubectl.get(`${manifest.kind}.${group}`, manifest.metadata.name, 'authz'))).toBe(true);
  });
});

test('a quota on terms to other namespaces refuses clients in other namespaces, and nobody else', async () => {
  const chart = new Chart(new App(), 'test', { namespace: 'authz' });
  const clients = new Chart(chart, 'web', { namespace: 'web' });
  const agent = opaAgent(chart);
  const pod = (scope: Chart, id: string) => new ApiObject(scope, id, {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: id.toLowerCase() }, spec: { containers: [{ name: 'web', image: 'web:1' }] },
  });
  const [far, bystander] = [pod(clients, 'Far'), pod(clients, 'Bystander')];
  agent.addClient(far);
  synthesise(chart);
  const quota = (pods: string) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'cross', namespace: 'web' },
    spec: { hard: { pods }, scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
  });
  await plane.kubectl.apply([quota('0')]);
  await plane.until('the quota counts', async () => (await plane.kubectl.get('resourcequota', 'cross', 'web')).status?.hard?.pods === '0');
  expect(await plane.kubectl.refusal([bystander.toJson()])).toBeUndefined();
  expect(await plane.kubectl.refusal([far.toJson()])).toContain('exceeded quota: cross');
  await plane.kubectl.apply([quota('100')]);
  await plane.until('the quota allows it', async () => await plane.kubectl.refusal([far.toJson()]) === undefined);
});

describe('what is refused at synth is refused by the API server, too', () => {
  /** A client as it is synthesised, and what would come of a refused one. */
  const spoilt = (spoil: (pod: any) => void) => {
    const chart = new Chart(new App(), 'test', { namespace: 'authz' });
    const client = deployment(chart, 'Spoilt');
    opaAgent(chart).addClient(client, { waitForAgent: true });
    synthesise(chart);
    const json = structuredClone(client.toJson());
    spoil(json.spec.template.spec);
    return json;
  };
  const term = (pod: any) => pod.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0];

  test.each<[string, (pod: any) => void, string]>([
    ['a weight of 0', (pod) => { term(pod).weight = 0; }, 'must be in the range 1-100'],
    ['a weight above 100', (pod) => { term(pod).weight = 101; }, 'must be in the range 1-100'],
    ['no topology', (pod) => { term(pod).podAffinityTerm.topologyKey = ''; }, 'can not be empty'],
    ['a condition with a weight', (pod) => { pod.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [term(pod)]; }, 'field not declared in schema'],
    ['two containers of one name', (pod) => { pod.initContainers[0].name = 'web'; }, 'Duplicate value: "web"'],
    ['two volumes of one name', (pod) => { pod.volumes = [{ name: 'v', emptyDir: {} }, { name: 'v', emptyDir: {} }]; }, 'volumes'],
  ])('%s', async (_, spoil, error) => {
    expect(await plane.kubectl.refusal([spoilt(() => undefined)], '--dry-run=server')).toBeUndefined();
    expect(await plane.kubectl.refusal([spoilt(spoil)], '--dry-run=server')).toContain(error);
  });
});

test('clients of all kinds of binding are accepted', async () => {
  const chart = new Chart(new App(), 'test', { namespace: 'authz' });
  opaAgent(chart).addClient(deployment(chart, 'Bound'), { waitForAgent: true });
  await plane.kubectl.apply(synthesise(chart));
});
