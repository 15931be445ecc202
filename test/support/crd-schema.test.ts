import { strictCrdSchema } from './crd-schema';
import { kubernetesAjv } from './kubernetes-ajv';

/** Whether a custom resource whose `spec.value` has the schema accepts a value. */
function accepts(schema: object, value: unknown): boolean {
  const spec = { type: 'object', properties: { value: schema }, required: ['value'] };
  const validate = kubernetesAjv().compile(strictCrdSchema({ type: 'object', properties: { spec } }, { type: 'object' }));
  return validate({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: {}, spec: { value } });
}

const STRING = { type: 'string' };

test.each<[string, object, unknown[], unknown[]]>([
  ['known fields only', { type: 'object', properties: { a: STRING } }, [{}, { a: '' }], [{ b: '' }]],
  ['no field where none is known', { type: 'object' }, [{}], [{ a: '' }]],
  ['the known fields of array items', { type: 'array', items: { type: 'object', properties: { a: STRING } } }, [[{ a: '' }]], [[{ b: '' }]]],
  ['any key of a map', { type: 'object', additionalProperties: STRING }, [{ a: '' }], [{ a: 1 }]],
  ['any field where unknown ones are preserved',
    { 'type': 'object', 'properties': { a: { type: 'object', properties: {} } }, 'x-kubernetes-preserve-unknown-fields': true },
    [{ b: '' }, { a: {} }],
    // Preserving does not reach into the fields that are known.
    [{ a: { b: '' } }]],
  ['any field of an embedded resource', { 'type': 'object', 'properties': {}, 'x-kubernetes-embedded-resource': true }, [{ kind: 'Pod' }], []],
  ['fields limited by oneOf, which does not close it',
    { type: 'object', properties: { a: STRING, b: STRING }, oneOf: [{ required: ['a'], properties: { a: { minLength: 1 } } }, { required: ['b'] }] },
    [{ a: 'x' }, { b: '' }, { a: '', b: '' }], [{}, { a: '' }, { a: 'x', b: '' }]],
  ['integers and strings', { 'x-kubernetes-int-or-string': true, 'anyOf': [{ type: 'integer' }, STRING], 'pattern': '^[0-9]+%$' }, [1, '1%'], [1.5, '1', true]],
  ['null if nullable', { type: 'object', nullable: true, properties: {}, oneOf: [{ required: ['a'] }, {}] }, [null, {}], [{ a: '' }, 1]],
  ['no null otherwise', STRING, [''], [null]],
  ['numbers above an exclusive minimum', { type: 'integer', minimum: 0, exclusiveMinimum: true }, [1], [0]],
  ['numbers from a minimum on', { type: 'integer', minimum: 0, exclusiveMinimum: false }, [0], [-1]],
  ['Go’s way to ignore case', { type: 'string', pattern: '^(?i)(abort|warn)?$' }, ['', 'warn', 'Warn'], ['other']],
  ['unknown formats', { type: 'string', format: 'uri' }, ['anything'], [1]],
  ['a missing field that has a default', { type: 'object', required: ['a'], properties: { a: { type: 'string', default: 'x' } } }, [{}], []],
])('accepts %s', (_, schema, accepted, refused) => {
  expect(accepted.filter((value) => !accepts(schema, value))).toEqual([]);
  expect(refused.filter((value) => accepts(schema, value))).toEqual([]);
});
