import { readFileSync } from 'fs';
import { join } from 'path';

/** Where Kubernetes puts what a pod needs to call it. */
export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Tokens are replaced by the kubelet long before they expire, but not told. */
const TOKEN_MS = 60_000;

/** Address of the API server, as every pod is told it. */
export function apiServerUrl({ KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port }: NodeJS.ProcessEnv): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The identity of the pod. */
export class ServiceAccount {
  private cached?: { readonly token: string; readonly until: number };

  public constructor(private readonly directory = SERVICE_ACCOUNT_DIRECTORY) {}

  public get ca(): string {
    return this.read('ca.crt');
  }

  public get namespace(): string {
    return this.read('namespace').trim();
  }

  public get token(): string {
    const now = performance.now();
    if (!this.cached || this.cached.until < now) this.cached = { token: this.read('token').trim(), until: now + TOKEN_MS };
    return this.cached.token;
  }

  private read(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }
}
