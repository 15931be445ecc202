import { isObject } from './merge';

/** Keys of configuration files whose values are secrets. */
const SECRET_KEYS = new RegExp(`^(${[
  'token', 'password', 'passwd', 'passphrase', 'private_?key_?passphrase', 'password_?hash', 'secret', 'client_?secret', 'workspace_?secret', 'private_?key',
  'secret_?(access_)?key', 'session_?token', 'encryption_?key', 'api_?key',
].join('|')})$`, 'i');

/** Names of HTTP headers that carry secrets. */
const SECRET_HEADERS = /^(proxy-)?authorization$|^cookie$|token$|secret$|api-?key$/i;

/** Parameters of URLs that carry secrets. */
const SECRET_PARAMETERS = /^(password|passwd|token|access_token|sig|signature|secret|x-amz-signature|sharedaccesssignature)$/i;

/** A value that is read from a variable when the server starts. */
const VARIABLE = /\$\{\w+/;

/** Refuses secrets that stand literally in a configuration: it ends in a ConfigMap. */
export function refuseSecretLiterals(value: unknown, path: string) {
  if (Array.isArray(value)) {
    value.forEach((item, index) => refuseSecretLiterals(item, `${path}[${index}]`));
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (isSecretLiteral(key, item, value, path)) {
        throw new Error(`${path}.${key} would put a secret into the manifest: write \${VARIABLE} and name the Secret in environment`);
      }
      refuseSecretLiterals(item, `${path}.${key}`);
    }
  } else if (typeof value === 'string') {
    refuseSecretInUrl(value, path);
  }
}

function isSecretLiteral(key: string, value: unknown, parent: any, path: string): boolean {
  // A path names a file, whose contents are not in the manifest.
  if (typeof value !== 'string' || value === '' || VARIABLE.test(value) || value.startsWith('/')) return false;
  if (SECRET_KEYS.test(key)) return true;
  if (/\.headers$/i.test(path)) return isSecretHeader(key);
  return key === 'key' && /^HS/.test(parent.algorithm ?? '');
}

/** Whether a header of this name would carry a secret. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name);
}

/** Refuses addresses such as `postgres://host?password=…`, `https://token@host` or `user:password@tcp(host)`. */
export function refuseSecretInUrl(value: string, path: string) {
  if (!hasSecret(value)) return;
  throw new Error(`${path} would put a secret into the manifest: write \${VARIABLE} and name the Secret in environment`);
}

function hasSecret(value: string): boolean {
  const dsn = /^[^:@/\s]*:([^@\s]*)@\w+\(/.exec(value);
  if (dsn) return isLiteral(dsn[1]);
  const url = /^([a-z][-+.a-z0-9]*):\/\/(?:([^/?#\s]*)@)?[^?#\s]*(?:\?([^#\s]*))?/i.exec(value);
  if (!url) return false;
  const [, scheme, userinfo = '', query = ''] = url;
  const [user, ...password] = userinfo.split(':');
  // A user name alone is one, but for HTTP, where it is as likely a token.
  if (isLiteral(password.join(':')) || (/^https?$/i.test(scheme) && isLiteral(user))) return true;
  return query.split('&').some((parameter) => {
    const [name, ...rest] = parameter.split('=');
    return SECRET_PARAMETERS.test(name) && isLiteral(rest.join('='));
  });
}

function isLiteral(value: string): boolean {
  return value !== '' && !VARIABLE.test(value);
}

/** An address as it may be shown in an error: without what may be a secret. */
export function redact(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@').replace(/\?.*/, '?…');
}
