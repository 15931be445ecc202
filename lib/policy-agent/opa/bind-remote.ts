import { OpaRemote } from './opa-remote';
import { isSecretHeader, redact, refuseSecretInUrl } from '../../private/secrets';
import { SecretKey } from '../secret-key';

/** A remote in OPA's configuration, and what it needs in the pod. */
export interface BoundRemote {
  readonly service: any;
  /** Path and query of the URL, without the first slash. */
  readonly resource: string;
  readonly volume?: any;
  readonly volumeMount?: any;
}

/** Renders a remote as a service of OPA called `name`. */
export function bindRemote(name: string, remote: OpaRemote): BoundRemote {
  const url = parseUrl(name, remote.url);
  for (const header of Object.keys(remote.headers ?? {})) {
    if (isSecretHeader(header)) {
      throw new Error(`header ${header} of ${name} would put a secret into the manifest: use bearerTokenSecret, or a variable in config`);
    }
  }
  const directory = `/remotes/${name}`;
  const items = [
    ...(remote.bearerTokenSecret ? [secretItem(remote.bearerTokenSecret, 'token')] : []),
    ...(remote.caSecret ? [secretItem(remote.caSecret, 'ca.crt')] : []),
  ];
  return {
    service: {
      url: url.origin,
      ...(remote.headers && { headers: { ...remote.headers } }),
      ...(remote.responseHeaderTimeout && { response_header_timeout_seconds: remote.responseHeaderTimeout.toSeconds() }),
      ...(remote.bearerTokenSecret && { credentials: { bearer: { token_path: `${directory}/token` } } }),
      ...(remote.caSecret && { tls: { ca_cert: `${directory}/ca.crt`, system_ca_required: false } }),
    },
    resource: (url.pathname + url.search).replace(/^\//, ''),
    ...(items.length > 0 && {
      volume: { name: `remote-${name}`, projected: { defaultMode: 0o440, sources: items } },
      volumeMount: { name: `remote-${name}`, mountPath: directory, readOnly: true },
    }),
  };
}

function secretItem(secret: SecretKey, path: string) {
  return { secret: { name: secret.secretName, items: [{ key: secret.key, path }] } };
}

function parseUrl(name: string, given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`url of ${name} must begin with https:// or http://, given ${JSON.stringify(redact(given))}`);
  }
  if (url.username || url.password) {
    throw new Error(`url of ${name} must not contain credentials: use bearerTokenSecret, or a variable in config`);
  }
  refuseSecretInUrl(given, `url of ${name}`);
  return url;
}
