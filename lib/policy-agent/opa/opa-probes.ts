import { OpaAuthorization } from './opa-authorization';

/** What OPA's probes depend on. */
export interface OpaProbeOptions {
  readonly binaryPath: string;
  readonly authorization: OpaAuthorization;
  /** Whether OPA is ready only when it has downloaded its bundles. */
  readonly downloads: boolean;
  /** Path of the socket that clients use. */
  readonly socket?: string;
}

/**
 * OPA's probes, on the port for diagnostics or through the socket. Startup and liveness never depend on a bundle: a
 * bundle server that is down would restart the whole fleet. A policy of the user's own may come with a bundle, and until
 * then OPA refuses even to tell its health.
 */
export function opaProbes(options: OpaProbeOptions) {
  const own = options.authorization === OpaAuthorization.OWN_POLICY;
  const ready = options.downloads ? '/health?bundles' : '/health';
  const up = own ? { tcpSocket: { port: 'diagnostics' } } : { httpGet: { path: '/health', port: 'diagnostics' } };
  const through = (path: string, condition: string) => ({ exec: { command: socketProbe(options, path, condition) }, timeoutSeconds: 5 });
  return {
    startupProbe: { ...up, timeoutSeconds: 3, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: options.socket
      ? { ...through('/health', own ? 'r.status_code > 0' : 'r.status_code == 200'), periodSeconds: 10 }
      : { ...up, timeoutSeconds: 3, periodSeconds: 10 },
    readinessProbe: options.socket
      ? { ...through(ready, 'r.status_code == 200'), periodSeconds: 5 }
      : { httpGet: { path: ready, port: 'diagnostics' }, timeoutSeconds: 3, periodSeconds: 5 },
  };
}

/** OPA's image has no shell and no HTTP client but OPA itself. */
function socketProbe({ binaryPath, socket }: OpaProbeOptions, path: string, condition: string): string[] {
  const [pathname, query] = path.split('?');
  const url = `unix://localhost${pathname}?${query ? `${query}&` : ''}socket=${encodeURIComponent(socket!)}`;
  return [binaryPath, 'eval', '--fail', '--format=discard', `r := ${sendRequest({ url })}; ${condition}`];
}

/** A GET request in Rego. */
export function sendRequest(request: object): string {
  const fields = Object.entries({ method: 'GET', ...request, raise_error: false, timeout: '4s' });
  return `http.send({${fields.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`).join(', ')}})`;
}
