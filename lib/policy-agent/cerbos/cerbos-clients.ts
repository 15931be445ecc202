import { PolicyEngineClients } from '../engine';

/** What is told to Cerbos' clients depends on these. */
export interface CerbosClientOptions {
  readonly binaryPath: string;
  readonly scheme: string;
  readonly tls: boolean;
}

/** Address that the configuration below leads to. */
const WAIT_ADDRESS = 'CERBOS_WAIT_ADDRESS';
const WAIT_FILE = 'cerbos.json';

/**
 * What clients need to know of Cerbos: the variables that `cerbos run` sets for the program that it starts. Its image can ask
 * for its health once, and only by a configuration that looks like a server's: a variable of the image forbids to name an
 * address.
 *
 * @see https://docs.cerbos.dev/cerbos/latest/cli/cerbos
 */
export function cerbosClients({ binaryPath, scheme, tls }: CerbosClientOptions): PolicyEngineClients {
  const wait = (kind: string, address: string) => ({
    // To wait gives nothing away: the certificate is verified by the client itself.
    command: [binaryPath, 'healthcheck', `--config=/wait/${WAIT_FILE}`, `--kind=${kind}`, '--timeout=5s', ...(tls ? ['--insecure'] : [])],
    env: [{ name: WAIT_ADDRESS, value: address }],
  });
  const ca = { ...(tls && { CERBOS_CA_FILE: '{ca}', CERBOS_SERVER_NAME: '{serverName}' }) };
  return {
    variables: { CERBOS_HTTP: `${scheme}://{host}:{http}`, CERBOS_GRPC: '{host}:{grpc}', ...ca },
    socketVariables: { CERBOS_GRPC: 'unix:{socket}', ...ca },
    waitContainer: wait('http', '{host}:{http}'),
    waitSocketContainer: wait('grpc', 'unix:{socket}'),
    waitFiles: {
      [WAIT_FILE]: `${JSON.stringify({
        server: {
          httpListenAddr: `\${${WAIT_ADDRESS}}`,
          grpcListenAddr: `\${${WAIT_ADDRESS}}`,
          ...(tls && { tls: { cert: 'tls.crt', key: 'tls.key' } }),
        },
      }, undefined, 2)}\n`,
    },
  };
}
