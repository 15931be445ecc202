/**
 * Strict schema checks of synthesised objects: unknown fields, wrong types and missing fields, as an API server with
 * strict field validation finds them. Rules across fields need a real server.
 */
import Ajv, { ValidateFunction } from 'ajv';
import { CoreSchema, loadCoreSchema } from './core-schema';
import { strictCrdSchema } from './crd-schema';
import { crdsAvailable, crdsDir, findCrdSchema } from './crds';
import { kubernetesAjv } from './kubernetes-ajv';
import { describeErrors } from './schema-errors';
import { recordSkipped } from './skipped-kinds';

/** Stands for the schema of a custom resource where there are no CustomResourceDefinitions. */
export const NO_CRDS = 'no CRDs';

/** What schemas leave open, but no object can be applied without. */
const IDENTITY = {
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { metadata: { required: ['name'] } },
};

let loaded: { readonly core: CoreSchema; readonly ajv: Ajv } | undefined;
const schemas = new Map<string, ValidateFunction | typeof NO_CRDS | undefined>();

/** Asserts that none of the objects has a strict error; what could not be checked is named at the end of the test file. */
export function expectStrict(objects: any[]) {
  expect(objects.flatMap(strictErrors)).toEqual([]);
}

/** What is wrong with an object, for example `Deployment/web: spec.selecto is not a known field`. */
export function strictErrors(object: any): string[] {
  const name = `${object?.kind}/${object?.metadata?.name}`;
  const schema = schemaFor(object);
  if (!schema) return [`${name}: no schema for ${object?.apiVersion} ${object?.kind}`];
  if (schema === NO_CRDS) {
    recordSkipped(`${object.kind}.${groupOf(object.apiVersion)}`);
    return [];
  }
  return schema(object) ? [] : describeErrors(schema.errors!).map((error) => `${name}: ${error}`);
}

/** The compiled schema of an object's kind, `NO_CRDS` where only its CustomResourceDefinition could tell, or undefined. */
export function schemaFor(object: any): ValidateFunction | typeof NO_CRDS | undefined {
  const apiVersion = String(object?.apiVersion);
  const kind = String(object?.kind);
  // The folder is part of the key since a test may change it.
  const key = `${apiVersion}/${kind} ${crdsDir()}`;
  if (!schemas.has(key)) schemas.set(key, newSchema(apiVersion, kind));
  return schemas.get(key);
}

function newSchema(apiVersion: string, kind: string): ValidateFunction | typeof NO_CRDS | undefined {
  const { core, ajv } = (loaded ??= load());
  const model = core.kinds[`${apiVersion}/${kind}`];
  if (model) return ajv.compile({ allOf: [coreRef(model), IDENTITY] });

  const group = groupOf(apiVersion);
  if (Object.keys(core.kinds).some((known) => groupOf(known.slice(0, known.lastIndexOf('/'))) === group)) return undefined;
  if (!crdsAvailable()) return NO_CRDS;
  const openApi = findCrdSchema(group, apiVersion.slice(group.length + 1), kind);
  return openApi && ajv.compile({ allOf: [strictCrdSchema(openApi, coreRef('V1ObjectMeta')), IDENTITY] });
}

function load() {
  const core = loadCoreSchema();
  const ajv = kubernetesAjv().addSchema({ definitions: core.definitions }, 'core');
  return { core, ajv };
}

function coreRef(model: string) {
  return { $ref: `core#/definitions/${model}` };
}

/** Empty for the core group. */
function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
}
