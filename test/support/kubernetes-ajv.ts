import Ajv from 'ajv';

/** Writes what Go's regular expressions say as JavaScript's: Go can set `(?i)` in the pattern itself. */
const goRegExp = Object.assign(
  (pattern: string) => new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? 'i' : ''),
  { code: 'goRegExp' },
);

/** A validator that knows the formats of Kubernetes and, as API servers do, lets others pass. */
export function kubernetesAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    code: { regExp: goRegExp },
    // It would warn of every unknown format.
    logger: false,
    // The schemas are generated; checking them takes longer than compiling them.
    meta: false,
    validateSchema: false,
  });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('byte', /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
  ajv.addFormat('int32', { type: 'number', validate: (value) => value >= -(2 ** 31) && value < 2 ** 31 });
  return ajv;
}
