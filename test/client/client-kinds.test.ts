import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { DefaultTerm, PodPlace } from '../../lib/client/client-kind';
import { CLIENT_KINDS } from '../../lib/client/client-kinds';
import { crdsDir, findCrdSchema } from '../support/crds';

const FILE = join(crdsDir(), '..', 'client-kinds.json');
/** What is kept beside the repository, where it is there: the same facts, read from the sources of the operators. */
const KINDS: any[] | undefined = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined;
const nameOf = ({ kind, group }: any) => `${kind}.${group}`;

if (!KINDS) console.warn(`skipped the comparison of ${CLIENT_KINDS.map(nameOf).join(', ')} with their operators (no client-kinds.json)`);
const withFile = KINDS ? describe : describe.skip;

/** How a placeholder of the file stands in the table. */
const PLACEHOLDERS: Record<string, any> = {
  '{metadata.name}': '/metadata/name',
  '{spec.clusterConfig.hdfsConfigMapName}': '/spec/clusterConfig/hdfsConfigMapName',
  '{spec.clusterConfig.deepStorage.hdfs.configMapName}': '/spec/clusterConfig/deepStorage/hdfs/configMapName',
  '{catalog.metastore.configMap}': { inConnector: '/metastore/configMap' },
  '{catalog.hdfs.configMap}': { inConnector: '/hdfs/configMap' },
};

function termOfFile({ weight, topologyKey, matchLabels }: any): DefaultTerm {
  expect(topologyKey).toBe('kubernetes.io/hostname');
  const entries = Object.entries<string>(matchLabels);
  const isFixed = (value: string) => !value.startsWith('{');
  return {
    weight,
    labels: Object.fromEntries(entries.filter(([, value]) => isFixed(value))),
    labelsFrom: Object.fromEntries(entries.filter(([, value]) => !isFixed(value)).map(([label, value]) => [label, PLACEHOLDERS[value]])),
  };
}

/** What the file says of one kind of pods, in the form of the table. */
function placeOfFile(template: any): Partial<PodPlace> {
  // A default that names what a controller makes up cannot be restated.
  const restatable = (terms: any[] = []) => terms.filter(({ matchLabels }) => Object.values<string>(matchLabels).every((value) => !value.startsWith('{revision')));
  return {
    role: template.role,
    affinity: template.affinityPointer,
    asks: template.queriesOpa,
    replaces: template.onSet?.replace('replaces-', ''),
    defaultAffinity: restatable(template.defaultPodAffinity).map(termOfFile),
    // One that is not replaced need not be restated.
    defaultAntiAffinity: template.onSet === 'replaces-affinity' ? restatable(template.defaultPodAntiAffinity).map(termOfFile) : [],
  };
}

function placeOfTable({ role, affinity, asks, replaces, defaultAffinity = [], defaultAntiAffinity = [] }: PodPlace): Partial<PodPlace> {
  return { role, affinity, asks, replaces, defaultAffinity, defaultAntiAffinity };
}

withFile('the table says what the operators do', () => {
  test('of the same kinds', () => {
    expect(CLIENT_KINDS.map(nameOf).sort()).toEqual(KINDS!.map(nameOf).sort());
  });

  test.each((KINDS ?? []).map((kind) => [nameOf(kind), kind]))('of %s', (name, kind) => {
    const table = CLIENT_KINDS.find((candidate) => nameOf(candidate) === name)!;
    expect(table.places.map(placeOfTable)).toEqual(kind.podTemplates.map(placeOfFile));
    expect(table.builtIn ?? false).toBe(kind.builtIn ?? false);
    const references = [...kind.opaReferencePointers, ...(kind.legacyOpaReferencePointers ?? [])].filter((pointer) => !pointer.endsWith('/authorizerClass'));
    expect((table.references ?? []).map(({ pointer }) => pointer)).toEqual(references);
  });

  test.each((KINDS ?? []).map((kind) => [nameOf(kind), kind]))('where users overrule it in %s', (name, kind) => {
    const table = CLIENT_KINDS.find((candidate) => nameOf(candidate) === name)!;
    kind.podTemplates.forEach((template: any, index: number) => {
      const stronger = [template.roleGroupAffinityPointer, template.podSpecPointer, template.roleGroupPodSpecPointer]
        .filter((pointer) => pointer !== undefined)
        .map((pointer) => pointer.endsWith('/affinity') ? pointer : `${pointer}/affinity`)
        .filter((pointer) => pointer !== template.affinityPointer && !['SparkApplication', 'FlinkDeployment'].includes(table.kind));
      expect((table.places[index].stronger ?? []).map(({ affinity }) => affinity).sort()).toEqual(stronger.sort());
    });
  });
});

withFile('every pointer leads to an affinity in the schema of the kind', () => {
  const custom = (KINDS ?? []).filter(({ builtIn }) => !builtIn);

  test.each(custom.map((kind) => [nameOf(kind), kind]))('of %s', (name, { apiVersions }) => {
    const { group, kind, places } = CLIENT_KINDS.find((candidate) => nameOf(candidate) === name)!;
    const schema = findCrdSchema(group, apiVersions[0].split('/')[1], kind);
    for (const { affinity, formerly } of places) {
      for (const pointer of [affinity, ...(formerly ? [formerly] : [])]) expect([pointer, leads(schema, pointer)]).toEqual([pointer, true]);
    }
  });
});

/** Whether a pointer leads to a field of a schema, or into a part that is left open. */
function leads(schema: any, pointer: string): boolean {
  let part = schema;
  for (const key of pointer.split('/').slice(1)) {
    if (part['x-kubernetes-preserve-unknown-fields'] && !part.properties?.[key]) return true;
    part = key === '*' ? part.items ?? part.additionalProperties : part.properties?.[key];
    if (!part) return false;
  }
  return true;
}
