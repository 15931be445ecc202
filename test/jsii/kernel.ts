import { ChildProcess, spawn } from 'child_process';
import { createInterface } from 'readline';
import { PackedPackage } from '../package/pack';

/** An object that lives in the kernel. */
export interface ObjectReference {
  readonly '$jsii.byref': string;
}

/** What the kernel asks of an object that is implemented on this side. */
interface Callback {
  readonly cbid: string;
  readonly cookie: string;
  readonly invoke?: { readonly method: string; readonly args?: any[] };
  readonly get?: { readonly property: string };
}

/** An object implemented on this side: its methods, and its properties as constants. */
export interface Implementation {
  readonly methods: Record<string, (...args: any[]) => Promise<unknown>>;
  readonly properties: Record<string, unknown>;
}

/**
 * The part of another language's runtime that talks to the jsii kernel: one JSON object a line, one answer to each, and
 * callbacks in between. Python, Java and Go send the same lines.
 *
 * @see https://aws.github.io/jsii/specification/3-kernel-api/
 */
export class Kernel {
  public static async start(): Promise<Kernel> {
    const kernel = new Kernel(spawn(process.execPath, [require.resolve('@jsii/runtime/webpack/bin/jsii-runtime.js')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20' },
    }));
    const { hello } = await kernel.read();
    if (!hello) throw new Error('the jsii kernel does not say hello');
    return kernel;
  }

  private readonly lines: AsyncIterator<string>;
  private readonly implementations = new Map<string, Implementation>();

  private constructor(private readonly process: ChildProcess) {
    this.lines = createInterface({ input: process.stdout! })[Symbol.asyncIterator]();
  }

  public async stop() {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.write({ exit: 0 });
    await ended;
  }

  public async load(packed: PackedPackage) {
    await this.request({ api: 'load', ...packed });
  }

  public async create(fqn: string, ...args: unknown[]): Promise<ObjectReference> {
    return this.request({ api: 'create', fqn, args });
  }

  /** Makes an object of an interface whose members are implemented on this side. */
  public async implement(interfaceFqn: string, implementation: Implementation): Promise<ObjectReference> {
    const cookie = String(this.implementations.size);
    this.implementations.set(cookie, implementation);
    return this.request({
      api: 'create',
      fqn: 'Object',
      interfaces: [interfaceFqn],
      overrides: [
        ...Object.keys(implementation.methods).map((method) => ({ method, cookie })),
        ...Object.keys(implementation.properties).map((property) => ({ property, cookie })),
      ],
    });
  }

  public async get(objref: ObjectReference, property: string): Promise<any> {
    return (await this.request({ api: 'get', objref, property })).value;
  }

  public async invoke(objref: ObjectReference, method: string, ...args: unknown[]): Promise<any> {
    return (await this.request({ api: 'invoke', objref, method, args })).result;
  }

  public async invokeStatic(fqn: string, method: string, ...args: unknown[]): Promise<any> {
    return (await this.request({ api: 'sinvoke', fqn, method, args })).result;
  }

  /** Sends a request, and serves callbacks until its answer comes. */
  private async request(request: object): Promise<any> {
    this.write(request);
    for (;;) {
      const answer = await this.read();
      if (answer.callback) {
        this.write({ complete: await this.serve(answer.callback) });
      } else if (answer.error !== undefined) {
        throw new Error(answer.error);
      } else {
        return answer.ok;
      }
    }
  }

  private async serve({ cbid, cookie, invoke, get }: Callback) {
    const { methods, properties } = this.implementations.get(cookie)!;
    try {
      return { cbid, result: get ? properties[get.property] : await methods[invoke!.method](...invoke!.args ?? []) };
    } catch (error) {
      return { cbid, err: (error as Error).message };
    }
  }

  private write(line: object) {
    this.process.stdin!.write(`${JSON.stringify(line)}\n`);
  }

  private async read(): Promise<any> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the jsii kernel ended early');
    return JSON.parse(value);
  }
}

/** A struct, passed by value. */
export function struct(fqn: string, data: Record<string, unknown>) {
  return { '$jsii.struct': { fqn, data } };
}

/** A member of an enum. */
export function member(fqn: string, name: string) {
  return { '$jsii.enum': `${fqn}/${name}` };
}

/** JSON as other languages send it where a map or anything is asked for: every object a map. */
export function json(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== 'object' || value === null || Object.keys(value).some((key) => key.startsWith('$jsii.'))) return value;
  return { '$jsii.map': Object.fromEntries(Object.entries(value).map(([key, item]) => [key, json(item)])) };
}
