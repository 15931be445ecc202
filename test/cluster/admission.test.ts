import { installCustomKinds, known } from './custom-kinds';
import { allCells, atNode, Cell, cellObjects, REFUSED } from './matrix';
import { KubernetesVersion } from '../../lib';
import { ControlPlane } from '../rig/control-plane';
import { exampleNames, exampleObjects } from '../support/examples';
import { find } from '../support/synth';

const { V1_34, V1_35, V1_36 } = KubernetesVersion;

/** The examples as `cdk8s synth` makes them, whatever cluster they are for. */
const EXAMPLES = exampleNames().map((name) => [name, exampleObjects(name)] as const);
const EXAMPLE_OBJECTS = EXAMPLES.flatMap(([, objects]) => objects);

/** The namespaces and the Pod Security level that each enforces. In those of the examples a socket stands, and clients that are as they are. */
const LEVELS: Record<string, string> = {
  restricted: 'restricted',
  baseline: 'baseline',
  privileged: 'privileged',
  ...Object.fromEntries(EXAMPLE_OBJECTS.map(({ metadata }) => [metadata.namespace ?? 'default', 'privileged'])),
};

const IMAGE: Cell = { engine: 'opa', mode: 'DaemonSet', access: 'service', tls: 'plain', source: 'image', version: V1_36 };

describe.each([V1_36, V1_35, V1_34])('Kubernetes %s', (version) => {
  let plane: ControlPlane;
  /** What the combinations come to, once. */
  const matrix = { restricted: [] as any[], privileged: [] as any[] };

  beforeAll(async () => {
    // Controllers would write to what is applied.
    plane = await ControlPlane.start({ apiOnly: true, ...(version !== V1_36 && { emulatedVersion: version }) });
    await plane.kubectl.apply(namespaces());
    await installCustomKinds(plane.kubectl, EXAMPLE_OBJECTS);
  });

  afterAll(async () => plane?.stop());

  test('is what the server stands for', async () => {
    const { minor, emulationMinor = minor } = JSON.parse(await plane.kubectl.run('get', '--raw', '/version'));
    expect(`1.${emulationMinor}`).toBe(version);
  });

  test('every combination of engine, mode, access, TLS and policy source is emitted, or refused for a reason that the design states', () => {
    const reasons = new Set<RegExp>();
    for (const [index, cell] of allCells(version).entries()) {
      const level = atNode(cell) ? 'privileged' : 'restricted';
      const emit = () => cellObjects(cell, `agent-${index}`, level);
      const expected = REFUSED.filter(([, when]) => when(cell)).map(([words]) => words);
      expected.forEach((words) => reasons.add(words));
      if (expected.length > 0) {
        expect(emit).toThrow(new RegExp(expected.map(({ source }) => source).join('|')));
      } else {
        matrix[level].push(...emit());
      }
    }
    expect(reasons.size).toBe(version === V1_34 ? REFUSED.length : REFUSED.length - 1);
  });

  test('accepts every object of every combination, and a second apply changes nothing', async () => {
    await expectApplied(distinct([...matrix.restricted, ...matrix.privileged]));
  });

  test.each(EXAMPLES)('accepts every object of example %s, and a second apply changes nothing', async (_, objects) => {
    await expectApplied(objects);
    await plane.kubectl.delete(known(objects));
  });

  test('keeps volumes of images from 1.35 on, and drops them before without a word', async () => {
    const applied = await plane.kubectl.apply([find(cellObjects(IMAGE, 'agent', 'restricted'), 'DaemonSet')], '--dry-run=server', '--output=json');
    const { volumes } = JSON.parse(applied).spec.template.spec;
    expect(volumes.map(({ name }: any) => name)).toEqual(['config', ...(version >= V1_35 ? ['policy-image-0'] : [])]);
  });

  test('accepts a Service whose name begins with a digit from 1.36 on', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: '1opa', namespace: 'restricted' }, spec: { ports: [{ port: 1 }] } };
    const refusal = await plane.kubectl.refusal([service], '--dry-run=server');
    expect(refusal ?? 'accepted').toMatch(version >= V1_36 ? /^accepted$/ : /metadata\.name: Invalid value: "1opa": a DNS-1035 label must/);
  });

  test('pods fit the Pod Security level that the docs state', async () => {
    const objects = [...matrix.restricted, ...matrix.privileged, ...EXAMPLE_OBJECTS];
    // Pods are made by name of an account that is there.
    await plane.kubectl.apply(objects.filter(({ kind }) => kind === 'ServiceAccount'));
    const pods = distinct(podsOf(objects));
    const admitted = await plane.kubectl.apply(pods, '--dry-run=server', '--output=name');
    expect(admitted.trim().split('\n')).toHaveLength(pods.length);
  });

  test('pods that take something of their node fit no stricter one', async () => {
    const pods = distinct(podsOf(matrix.privileged).map((pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'baseline' } })));
    const refused = await plane.kubectl.refusal(pods, '--dry-run=server');
    const names = [...refused!.matchAll(/pods "([-a-z0-9]+)" is forbidden: violates PodSecurity "baseline:latest": (hostPort|hostPath volumes)/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(pods.map(({ metadata }) => metadata.name).sort());
  });

  async function expectApplied(objects: any[]) {
    const first = await apply(objects);
    expect(first.size).toBe(known(objects).length);
    expect(await apply(objects)).toEqual(first);
  }

  /** The version of each object, by its name. */
  async function apply(objects: any[]): Promise<Map<string, string>> {
    const { items } = JSON.parse(await plane.kubectl.apply(known(objects), '--output=json'));
    return new Map(items.map(({ kind, metadata }: any) => [`${kind} ${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]));
  }
});

/** Those that differ by more than their agent's name. */
function distinct(objects: any[]): any[] {
  return [...new Map(objects.map((object) => [JSON.stringify(object).replace(/agent-\d+/g, 'agent'), object])).values()];
}

/** With the account that a controller would add. */
function namespaces(): any[] {
  return Object.entries(LEVELS).flatMap(([name, level]) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': level } } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } },
  ]);
}

/** A pod of each workload, as its controller would make it: workloads themselves are only warned of. */
function podsOf(objects: any[]): any[] {
  return objects.filter(({ kind }) => ['DaemonSet', 'Deployment', 'StatefulSet'].includes(kind)).map(({ kind, metadata, spec: { template } }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: `${metadata.name}-${kind.toLowerCase()}`, namespace: metadata.namespace },
    spec: template.spec,
  }));
}
