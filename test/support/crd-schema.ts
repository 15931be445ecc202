/** Limits of a value that OpenAPI and JSON schema write the same way. */
const SAME = [
  'type', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems',
  'minProperties', 'maxProperties', 'required',
];

/**
 * Turns the `openAPIV3Schema` of a custom resource into a JSON schema that refuses unknown fields, as an API server does
 * with strict field validation. CEL rules (`x-kubernetes-validations`) are not checked.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function strictCrdSchema(openApi: any, objectMeta: object): object {
  const schema = structure(openApi);
  // Every resource has these, whether its author lists them or not, and a server checks them by its own rules.
  return { ...schema, properties: { ...schema.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: objectMeta } };
}

/** The part of a schema that names every field that may be there. */
function structure(openApi: any): any {
  const { type, properties, additionalProperties, items, nullable } = openApi;
  const schema = limits(openApi);
  // A server fills in defaults before it looks for what is missing.
  if (schema.required) schema.required = schema.required.filter((name: string) => properties?.[name]?.default === undefined);
  if (properties) schema.properties = mapValues(properties, structure);
  if (items) schema.items = structure(items);
  if (typeof additionalProperties === 'object') {
    schema.additionalProperties = structure(additionalProperties);
  } else if (type === 'object' && !additionalProperties && !isOpen(openApi)) {
    schema.additionalProperties = false;
  }
  return nullable ? { if: { type: 'null' }, else: schema } : schema;
}

/** The part inside of `anyOf` and its like: it limits fields, without saying that there are no others. */
function rule(openApi: any): any {
  const { properties, additionalProperties, items } = openApi;
  const schema = limits(openApi);
  if (properties) schema.properties = mapValues(properties, rule);
  if (items) schema.items = rule(items);
  if (additionalProperties) schema.additionalProperties = rule(additionalProperties);
  return schema;
}

/** The limits of the value itself. */
function limits(openApi: any): any {
  const schema: any = Object.fromEntries(SAME.filter((key) => key in openApi).map((key) => [key, openApi[key]]));
  for (const [key, exclusive] of [['minimum', 'exclusiveMinimum'], ['maximum', 'exclusiveMaximum']]) {
    if (key in openApi) schema[openApi[exclusive] ? exclusive : key] = openApi[key];
  }
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    if (openApi[key]) schema[key] = openApi[key].map(rule);
  }
  if (openApi.not) schema.not = rule(openApi.not);
  if (openApi['x-kubernetes-int-or-string']) {
    schema.type = ['integer', 'string'];
    // It says the same once more, and would double every error.
    delete schema.anyOf;
  }
  return schema;
}

function isOpen(openApi: any): boolean {
  return openApi['x-kubernetes-preserve-unknown-fields'] === true || openApi['x-kubernetes-embedded-resource'] === true;
}

function mapValues(object: Record<string, any>, change: (value: any) => any): Record<string, any> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
