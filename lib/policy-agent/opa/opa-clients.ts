import { OpaAuthorization } from './opa-authorization';
import { sendRequest } from './opa-probes';
import { PolicyEngineClients } from '../engine';

/** What is told to OPA's clients depends on these. */
export interface OpaClientOptions {
  readonly binaryPath: string;
  readonly authorization: OpaAuthorization;
  /** Whether OPA is ready only when it has downloaded its bundles. */
  readonly downloads: boolean;
  readonly scheme: string;
  readonly tls: boolean;
}

/** Tries so often that it is for ever; the first ones follow each other within a second, later ones within a minute. */
const TRIES = 1_000_000;

/**
 * What clients need to know of OPA. No SDK reads an address from the environment, so the names are ours. OPA's image waits
 * with the HTTP client of OPA itself: it tries again while nobody answers.
 */
export function opaClients({ binaryPath, authorization, downloads, scheme, tls }: OpaClientOptions): PolicyEngineClients {
  const path = downloads ? '/health?bundles' : '/health';
  // A policy of the user's own may not tell everyone its health, but whoever gets an answer is served.
  const condition = authorization === OpaAuthorization.OWN_POLICY ? 'r.status_code > 0' : 'r.status_code == 200';
  const wait = (request: object) => ({
    command: [binaryPath, 'eval', '--fail', '--format=discard', `r := ${sendRequest({ ...request, max_retry_attempts: TRIES })}; ${condition}`],
  });
  return {
    variables: {
      OPA_URL: `${scheme}://{host}:{http}`,
      ...(tls && { OPA_CA_FILE: '{ca}', OPA_SERVER_NAME: '{serverName}' }),
    },
    socketVariables: { OPA_SOCKET: '{socket}' },
    // To wait gives nothing away: the certificate is verified by the client itself.
    waitContainer: wait({ url: `${scheme}://{host}:{http}${path}`, ...(tls && { tls_insecure_skip_verify: true }) }),
    waitSocketContainer: wait({ url: `unix://localhost${path}${downloads ? '&' : '?'}socket={socket}` }),
    waitsByItself: true,
  };
}
