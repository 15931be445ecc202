/**
 * Prints a strict JSON schema of Kubernetes' own types, made from the model classes of @kubernetes/client-node:
 * `definitions` by model name, and `kinds` from `<apiVersion>/<kind>` to the model that describes it.
 *
 * A program of its own, since the models are ES modules, which jest cannot import here.
 */
import { readdirSync, readFileSync } from 'fs';
import { dirname, join } from 'path';
import { fileURLToPath } from 'url';
import * as models from '@kubernetes/client-node/dist/gen/models/all.js';

const MODELS = dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node/dist/gen/models/all.js')));
const APIS = join(MODELS, '..', 'apis');

const definitions = {};
for (const [name, model] of Object.entries(models)) {
  if (model.getAttributeTypeMap) definitions[name] = objectSchema(name, model.getAttributeTypeMap());
}
process.stdout.write(JSON.stringify({ definitions, kinds: kinds() }));

function objectSchema(model, attributes) {
  const required = requiredNames(model);
  return {
    type: 'object',
    properties: Object.fromEntries(attributes.map(({ baseName, type, format }) => [baseName, typeSchema(type, format)])),
    required: attributes.filter(({ name }) => required.has(name)).map(({ baseName }) => baseName),
    additionalProperties: false,
  };
}

/** Only the type declarations tell `'name': T` from `'name'?: T`. */
function requiredNames(model) {
  const declaration = readFileSync(join(MODELS, `${model}.d.ts`), 'utf8');
  return new Set([...declaration.matchAll(/^ {4}'(\w+)': /gm)].map(([, name]) => name));
}

function typeSchema(type, format) {
  const array = /^Array<(.*)>$/.exec(type);
  if (array) return { type: 'array', items: typeSchema(array[1], format) };
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) return { type: 'object', additionalProperties: typeSchema(map[1], format) };
  switch (type) {
    case 'any': return {};
    case 'boolean': return { type: 'boolean' };
    case 'string': return format ? { type: 'string', format } : { type: 'string' };
    case 'number': return format.startsWith('int') ? { type: 'integer', format } : { type: 'number' };
    case 'IntOrString': return { type: ['integer', 'string'] };
    case 'Date':
    case 'V1MicroTime': return { type: 'string', format: 'date-time' };
  }
  // Better no schema at all than one that checks less than it seems to.
  if (!models[type]?.getAttributeTypeMap) throw new Error(`no JSON schema is known for the type ${type}`);
  return { $ref: `#/definitions/${type}` };
}

/** The models do not know their API group; the clients that create them do. */
function kinds() {
  const found = {};
  for (const file of readdirSync(APIS).filter((name) => name.endsWith('Api.js'))) {
    for (const request of readFileSync(join(APIS, file), 'utf8').split('const localVarPath = ').slice(1)) {
      const path = /^'\/apis?\/([\w./-]+)\/(?:namespaces\/\{namespace\}\/)?\w+'/.exec(request);
      const body = /serialize\(body, "(\w+)"/.exec(request);
      // The package still carries clients of versions that are gone; their models are no longer listed.
      if (!path || !body || !definitions[body[1]] || !request.includes('HttpMethod.POST')) continue;
      found[`${path[1]}/${body[1].replace(/^[A-Za-z]*?V\d+((alpha|beta)\d+)?(?=[A-Z])/, '')}`] = body[1];
    }
  }
  return found;
}
