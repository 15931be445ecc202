import { ErrorObject } from 'ajv';

/** The errors of ajv in words: a path as a reader of YAML would write it, and what is wrong there. */
export function describeErrors(errors: ErrorObject[]): string[] {
  // `if` fails only together with the error that says why.
  return [...new Set(errors.filter(({ keyword }) => keyword !== 'if').map(describe))];
}

function describe({ keyword, params, message, instancePath, data }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
  switch (keyword) {
    case 'additionalProperties': return `${dotted([...path, params.additionalProperty])} is not a known field`;
    case 'required': return `${dotted([...path, params.missingProperty])} is missing`;
    case 'enum': return `${dotted(path)} must be one of ${params.allowedValues.join(', ')}, given ${excerpt(data)}`;
    default: return `${dotted(path)} ${message}, given ${excerpt(data)}`;
  }
}

function dotted(path: string[]): string {
  return path.map((key) => {
    if (/^\d+$/.test(key)) return `[${key}]`;
    return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  }).join('').replace(/^\./, '');
}

function excerpt(data: unknown): string {
  const json = JSON.stringify(data) ?? 'undefined';
  return json.length > 100 ? `${json.slice(0, 100)}…` : json;
}
