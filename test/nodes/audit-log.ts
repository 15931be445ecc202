import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { stringify } from 'yaml';

/** A request to the API server, as its audit log has it. */
export interface AuditedRequest {
  readonly verb: string;
  readonly objectRef: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
}

/** What a service account has asked of the API server. */
export class AuditLog {
  private readonly folder = mkdtempSync(join(tmpdir(), 'audit-'));

  /** @param user Such as `system:serviceaccount:<namespace>:<name>`. */
  public constructor(user: string) {
    writeFileSync(join(this.folder, 'policy.yaml'), stringify({
      apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
    }));
  }

  /** For the API server. */
  public get args(): string[] {
    return [`--audit-policy-file=${join(this.folder, 'policy.yaml')}`, `--audit-log-path=${join(this.folder, 'log')}`];
  }

  public requests(): AuditedRequest[] {
    return readFileSync(join(this.folder, 'log'), 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  public clean() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
