import { execFile, spawn } from 'child_process';
import { join } from 'path';
import { createInterface } from 'readline';
import { stringify } from 'yaml';
import { BIN } from './daemon';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real kubectl, as a user of the cluster. */
export class Kubectl {
  public constructor(private readonly kubeconfig: string, private readonly prefix: string[] = []) {}

  /** Runs kubectl, whatever it ends with. */
  public async try(args: string[], input?: string): Promise<Result> {
    const [program, ...rest] = this.command(args);
    return new Promise((resolve) => {
      const child = execFile(program, rest, { maxBuffer: 256 * 1024 * 1024, env: { ...process.env, KUBECTL_APPLYSET: 'true' } }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, stdout, stderr });
      });
      child.stdin!.on('error', () => undefined).end(input ?? '');
    });
  }

  /** Runs kubectl; fails when it does. Returns what it prints. */
  public async run(...args: string[]): Promise<string> {
    return checked(args, await this.try(args));
  }

  /** Follows an answer of the API server that does not end, such as a watch, line by line. Returns what ends it. */
  public stream(path: string, onLine: (line: string) => void, onError: (error: Error) => void): () => void {
    const [program, ...args] = ['setpriv', '--pdeathsig', 'KILL', ...this.command(['get', '--raw', path])];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let stopped = false;
    createInterface({ input: child.stdout }).on('line', onLine);
    child.stderr.on('data', (text) => onError(new Error(`watch of ${path}: ${text}`)));
    child.on('exit', () => stopped || onError(new Error(`the watch of ${path} has ended`)));
    return () => {
      stopped = true;
      child.kill();
    };
  }

  /** Applies objects on the server's side, with strict validation of fields. */
  public async apply(objects: any[], ...args: string[]): Promise<string> {
    const all = ['apply', '--server-side', '--validate=strict', '--filename=-', ...args];
    return checked(all, await this.try(all, toYaml(objects)));
  }

  /** The same, for what is to be refused: the error, or undefined when there is none. */
  public async refusal(objects: any[], ...args: string[]): Promise<string | undefined> {
    const { code, stderr } = await this.try(['apply', '--server-side', '--validate=strict', '--filename=-', ...args], toYaml(objects));
    return code === 0 ? undefined : stderr;
  }

  public async delete(objects: any[], ...args: string[]): Promise<string> {
    const all = ['delete', '--ignore-not-found', '--filename=-', ...args];
    return checked(all, await this.try(all, toYaml(objects)));
  }

  /** One object, or undefined. */
  public async get(kind: string, name: string, namespace?: string): Promise<any> {
    const output = await this.run('get', kind, name, ...(namespace ? ['--namespace', namespace] : []), '--ignore-not-found', '--output=json');
    return output ? JSON.parse(output) : undefined;
  }

  /** All objects of a kind. */
  public async list(kind: string, namespace?: string, selector?: string): Promise<any[]> {
    const where = namespace ? ['--namespace', namespace] : ['--all-namespaces'];
    return JSON.parse(await this.run('get', kind, ...where, ...(selector ? ['--selector', selector] : []), '--output=json')).items;
  }

  private command(args: string[]): string[] {
    return [...this.prefix, join(BIN, 'kubectl'), `--kubeconfig=${this.kubeconfig}`, ...args];
  }
}

export function toYaml(objects: any[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}

function checked(args: string[], { code, stdout, stderr }: Result): string {
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}
