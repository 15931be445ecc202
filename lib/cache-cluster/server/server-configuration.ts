import { CacheLogLevel } from '../cache-cluster-props';
import { CacheClientCertificates } from '../cache-tls';
import { Element, toXml } from '../configuration/element';
import { ADMIN_PORT, CacheClusterSettings, CLIENT_PORT } from '../settings';

export const CONFIG_DIRECTORY = '/etc/infinispan';
export const USERS_DIRECTORY = '/etc/infinispan-users';
export const TLS_DIRECTORY = '/etc/infinispan-tls';
export const CLIENT_CA_DIRECTORY = '/etc/infinispan-client-ca';
/** Certificate and key in one file, as the server wants them. */
export const KEYSTORE_FILE = '/run/infinispan/keystore.pem';

/** The operator's. */
const LOG_PATTERN = '%d{HH:mm:ss,SSS} %-5p (%t) [%c] %m%throwable%n';

/** The servers' configuration, without caches. */
export function serverConfiguration(settings: CacheClusterSettings): string {
  return toXml({ name: 'infinispan', children: [container(settings), server(settings)] });
}

function container({ clusterName, authorization, props: { roles } }: CacheClusterSettings): Element {
  return {
    name: 'cache-container',
    attributes: { name: 'default', statistics: true },
    children: [
      { name: 'transport', attributes: { 'cluster': clusterName, 'stack': 'kubernetes', 'node-name': '${infinispan.node.name:}' } },
      ...(authorization ? [{
        name: 'security',
        children: [{
          name: 'authorization',
          children: (roles ?? []).map(({ name, permissions }) => ({ name: 'role', attributes: { name, permissions: [...permissions] } })),
        }],
      }] : []),
      // A server that was killed starts again: what it lacks it gets from the others.
      { name: 'global-state', attributes: { 'unclean-shutdown-action': 'IGNORE' } },
    ],
  };
}

function server(settings: CacheClusterSettings): Element {
  const { authentication, props: { tls } } = settings;
  const realm = authentication ? 'users' : undefined;
  const clientRealm = realm ?? (tls && 'tls');
  const realms = [
    ...(tls || authentication ? [securityRealm(clientRealm!, settings)] : []),
    // Probes and metrics stay in plain text, on a port of their own.
    ...(tls && authentication ? [securityRealm('administrators', { ...settings, props: { ...settings.props, tls: undefined } })] : []),
  ];
  const adminRealm = tls && authentication ? 'administrators' : realm;
  return {
    name: 'server',
    children: [
      { name: 'interfaces', children: [{ name: 'interface', attributes: { name: 'public' }, children: [{ name: 'inet-address', attributes: { value: '${infinispan.bind.address}' } }] }] },
      {
        name: 'socket-bindings',
        attributes: { 'default-interface': 'public', 'port-offset': '${infinispan.socket.binding.port-offset:0}' },
        children: [
          { name: 'socket-binding', attributes: { name: 'default', port: CLIENT_PORT } },
          { name: 'socket-binding', attributes: { name: 'admin', port: ADMIN_PORT } },
        ],
      },
      ...(realms.length > 0 ? [{ name: 'security', children: [{ name: 'security-realms', children: realms }] }] : []),
      {
        name: 'endpoints',
        children: [
          {
            name: 'endpoint',
            attributes: {
              'socket-binding': 'default',
              'security-realm': clientRealm,
              'require-ssl-client-auth': tls && tls._options.clientCertificates === CacheClientCertificates.VALIDATE ? true : undefined,
            },
          },
          {
            name: 'endpoint',
            attributes: { 'socket-binding': 'admin', 'security-realm': adminRealm },
            children: [{
              name: 'rest-connector',
              // Prometheus knows the first one only.
              ...(adminRealm && { children: [{ name: 'authentication', attributes: { mechanisms: ['BASIC', 'DIGEST'] } }] }),
            }],
          },
        ],
      },
    ],
  };
}

function securityRealm(name: string, { authentication, props: { tls } }: CacheClusterSettings): Element {
  const verifiesClients = tls?._options.clientCertificatesSecret !== undefined;
  return {
    name: 'security-realm',
    attributes: { name },
    children: [
      ...(tls ? [{
        name: 'server-identities',
        children: [{
          name: 'ssl',
          children: [
            { name: 'keystore', attributes: { 'path': KEYSTORE_FILE, 'type': 'pem', 'keystore-password': '' } },
            ...(verifiesClients ? [{ name: 'truststore', attributes: { path: `${CLIENT_CA_DIRECTORY}/ca.crt`, type: 'pem', password: '' } }] : []),
          ],
        }],
      }] : []),
      ...(authentication ? [{
        name: 'properties-realm',
        attributes: { 'groups-attribute': 'Roles' },
        children: [
          { name: 'user-properties', attributes: { 'path': `${USERS_DIRECTORY}/users.properties`, 'plain-text': true } },
          { name: 'group-properties', attributes: { path: `${USERS_DIRECTORY}/groups.properties` } },
        ],
      }] : []),
    ],
  };
}

/** The servers' logging: to standard output only, so that logs never fill a volume. */
export function loggingConfiguration({ props: { logPattern = LOG_PATTERN, logCategories = {} } }: CacheClusterSettings): string {
  const logger = ([name, level]: [string, CacheLogLevel]): Element => ({ name: 'Logger', attributes: { name, level: level.toUpperCase() } });
  return toXml({
    name: 'Configuration',
    attributes: { name: 'InfinispanServerConfig', shutdownHook: 'disable' },
    children: [
      {
        name: 'Appenders',
        children: [{ name: 'Console', attributes: { name: 'STDOUT' }, children: [{ name: 'PatternLayout', attributes: { pattern: logPattern } }] }],
      },
      {
        name: 'Loggers',
        children: [
          { name: 'Root', attributes: { level: 'INFO' }, children: [{ name: 'AppenderRef', attributes: { ref: 'STDOUT' } }] },
          ...Object.entries(logCategories).map(logger),
        ],
      },
    ],
  });
}
