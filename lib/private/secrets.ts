import { isObject } from './merge';

/** Keys of configuration files whose values are secrets. */
const SECRET_KEYS = /^(token|password|passwd|passwordhash|secret|client_?secret|private_?key|secret_?(access_)?key|encryption_?key|api_?key)$/i;

/** A value that is read from a variable when the server starts. */
const VARIABLE = /\$\{\w+/;

/** Refuses secrets that stand literally in a configuration: it ends in a ConfigMap. */
export function refuseSecretLiterals(value: unknown, path: string) {
  if (Array.isArray(value)) {
    value.forEach((item, index) => refuseSecretLiterals(item, `${path}[${index}]`));
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string' && item !== '' && SECRET_KEYS.test(key) && !VARIABLE.test(item)) {
        throw new Error(`${path}.${key} would put a secret into the manifest: write \${VARIABLE} and name the Secret in environment`);
      }
      refuseSecretLiterals(item, `${path}.${key}`);
    }
  } else if (typeof value === 'string') {
    refusePasswordInUrl(value, path);
  }
}

/** Refuses URLs such as `postgres://user:password@host` whose password is no variable. */
export function refusePasswordInUrl(value: string, path: string) {
  const password = /^[a-z][-+.a-z0-9]*:\/\/[^/:@\s]*:([^@/\s]+)@/i.exec(value)?.[1];
  if (password && !VARIABLE.test(password)) {
    throw new Error(`${path} would put a password into the manifest: write \${VARIABLE} and name the Secret in environment`);
  }
}
