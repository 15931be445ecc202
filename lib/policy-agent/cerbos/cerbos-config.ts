import { CerbosEngineProps, CerbosSchemaEnforcement } from './cerbos-engine-props';
import { StorageBinding } from './storage-binding';
import { isObject, Json, mergePatch } from '../../private/merge';
import { refuseSecretLiterals } from '../../private/secrets';
import { ClientCertificates } from '../agent-tls';
import { PolicyEngineContext } from '../engine';

/** Variable of the container that holds the hash of the admin API's password. */
export const PASSWORD_HASH_VARIABLE = 'CERBOS_ADMIN_PASSWORD_HASH';

/** Where Cerbos listens. */
export interface CerbosListeners {
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Path of the socket, which takes the place of the gRPC port. */
  readonly socket?: string;
}

/** Cerbos ignores sections that it does not know, so a typo would do nothing. */
const SECTIONS = ['audit', 'auxData', 'compile', 'engine', 'hub', 'schema', 'server', 'storage', 'telemetry'];

/** What follows from props of the agent or the engine. */
const OWNED_KEYS = [
  'server.httpListenAddr', 'server.grpcListenAddr', 'server.udsFileMode', 'server.tls', 'server.adminAPI', 'storage.driver', 'telemetry.disabled',
].map((path) => path.split('.'));

/** Renders Cerbos' configuration. @see https://docs.cerbos.dev/cerbos/latest/configuration */
export function renderConfig(props: CerbosEngineProps, context: PolicyEngineContext, storage: StorageBinding, listen: CerbosListeners): Json {
  const generated = {
    server: {
      // With a socket or loopback as the only way, nobody else is to be answered; HTTP cannot be switched off.
      httpListenAddr: `${context.listensOnNetwork ? '' : '127.0.0.1'}:${listen.httpPort}`,
      grpcListenAddr: listen.socket ? `unix:${listen.socket}` : `${context.listensOnLoopback ? '127.0.0.1' : ''}:${listen.grpcPort}`,
      // A number: Cerbos reads a quoted mode such as "0o660" as 0755.
      ...(listen.socket && { udsFileMode: parseInt(context.socketMode!, 8) }),
      ...(context.tlsDirectory && { tls: tls(context) }),
      apiExplorerEnabled: false,
      adminAPI: props.adminApi
        ? { enabled: true, adminCredentials: { username: props.adminApi.username, passwordHash: `\${${PASSWORD_HASH_VARIABLE}}` } }
        : { enabled: false },
      ...(props.maxConnectionAge && { advanced: { grpc: { maxConnectionAge: `${props.maxConnectionAge.toSeconds()}s` } } }),
    },
    storage: { driver: storage.driver, [storage.driver]: storage.config, ...storage.others },
    schema: { enforcement: props.schemaEnforcement ?? CerbosSchemaEnforcement.NONE },
    ...(props.audit && { audit: props.audit._config }),
    telemetry: { disabled: !(props.telemetry ?? false) },
  };
  const escaped = escapeDollars(generated);
  const merged = mergePatch(escaped, props.config ?? {});
  for (const [section, key] of OWNED_KEYS) {
    if (JSON.stringify(merged[section]?.[key]) !== JSON.stringify(escaped[section]?.[key])) {
      throw new Error(`config must not set ${section}.${key}: it follows from other props of the agent or the engine`);
    }
  }
  return merged;
}

/** Cerbos takes a dollar for the beginning of a variable. */
function escapeDollars(value: any): any {
  if (typeof value === 'string') return value.replace(/\$(?!\{)/g, '$$$$');
  if (Array.isArray(value)) return value.map(escapeDollars);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escapeDollars(item)])) : value;
}

function tls({ tlsDirectory, clientCertificates, clientCaFile }: PolicyEngineContext): Json {
  return {
    cert: `${tlsDirectory}/tls.crt`,
    key: `${tlsDirectory}/tls.key`,
    ...(clientCertificates === ClientCertificates.VERIFY_IF_GIVEN && { caCert: clientCaFile }),
  };
}

/** Refuses a raw configuration that would do nothing, or put a secret into the manifest. */
export function checkConfig(config: any) {
  if (!isObject(config)) throw new Error(`config must be an object, given ${JSON.stringify(config)}`);
  const unknown = Object.keys(config).find((section) => !SECTIONS.includes(section));
  if (unknown) throw new Error(`config has no section ${unknown}, which Cerbos would silently ignore; allowed are ${SECTIONS.join(', ')}`);
  for (const limit of ['maxActionsPerResource', 'maxResourcesPerRequest']) {
    const value = config.server?.requestLimits?.[limit];
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 500)) {
      throw new Error(`config server.requestLimits.${limit} must be a whole number from 1 to 500, given ${value}`);
    }
  }
  refuseSecretLiterals(config, 'config');
}
