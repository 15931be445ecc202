import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { isObject, Json, mergePatch } from './merge';

/** An object in wire form, as it stands in a manifest. */
export interface Manifest extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
}

/** Partial objects of the user, each of which must find its object. */
export class ObjectOverrides {
  private readonly unused: Set<Json>;
  private readonly emitted: string[] = [];

  constructor(private readonly overrides: Json[] = []) {
    for (const override of overrides) {
      if (!isObject(override) || !override.kind || !override.metadata?.name) {
        throw new Error(`each of objectOverrides needs kind and metadata.name, given ${JSON.stringify(override)}`);
      }
    }
    this.unused = new Set(overrides);
  }

  public apply(manifest: Manifest): Manifest {
    this.emitted.push(`${manifest.kind}/${manifest.metadata.name}`);
    let result = manifest;
    for (const override of this.overrides) {
      if (override.kind !== manifest.kind || override.metadata.name !== manifest.metadata.name) continue;
      result = mergePatch(result, override);
      this.unused.delete(override);
    }
    return result;
  }

  public checkAllUsed() {
    for (const { kind, metadata } of this.unused) {
      throw new Error(`objectOverrides name ${kind}/${metadata.name}, which the agent does not emit; it emits ${this.emitted.join(', ')}`);
    }
  }
}

/** Emits a raw object: patches on it are in wire form, and nothing is dropped. */
export function emit(scope: Construct, id: string, manifest: Manifest, overrides: ObjectOverrides): ApiObject {
  const object = new ApiObject(scope, id, overrides.apply(manifest));
  Identities.of(scope).add(object);
  return object;
}

const perRoot = new WeakMap<IConstruct, Identities>();

/** What this library emitted in an app, by kind, namespace and name. */
export class Identities {
  public static of(scope: IConstruct): Identities {
    const { root } = scope.node;
    let identities = perRoot.get(root);
    if (!identities) perRoot.set(root, identities = new Identities());
    return identities;
  }

  private readonly claims = new Map<string, IConstruct[]>();
  /** The few that have more than one owner: checks look at nothing else. */
  private readonly contested = new Set<string>();

  public add(object: ApiObject) {
    const { namespace } = object.metadata;
    this.claim(`${object.kind} ${object.name}${namespace ? ` in namespace ${namespace}` : ''}`, object);
  }

  /** Claims something of which an app may have one only. */
  public claim(what: string, owner: IConstruct) {
    const owners = this.claims.get(what);
    if (owners) {
      owners.push(owner);
      this.contested.add(what);
    } else {
      this.claims.set(what, [owner]);
    }
  }

  /** What constructs within the scope claim that another one claims, too. */
  public conflicts(scope: IConstruct): string[] {
    return [...this.contested].flatMap((what) => {
      const owners = this.claims.get(what)!;
      if (!owners.some((owner) => owner.node.scopes.includes(scope))) return [];
      return [`${what} is claimed more than once in this app, by ${owners.map((owner) => owner.node.path).join(' and ')}`];
    });
  }
}
