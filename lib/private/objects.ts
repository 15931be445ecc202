import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { Claims } from './claims';
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

  /** Refuses the first one that found no object. */
  public refuseUnused() {
    const unused = this.unusedOnes();
    if (unused) throw new Error(unused);
  }

  /** What is wrong with the first one that found no object. */
  public unusedOnes(): string | undefined {
    const [first] = this.unused;
    return first && `objectOverrides name ${first.kind}/${first.metadata.name}, which is not emitted; there are ${this.emitted.join(', ')}`;
  }
}

/** Emits a raw object: patches on it are in wire form, and nothing is dropped. */
export function emit(scope: Construct, id: string, manifest: Manifest, overrides: ObjectOverrides): ApiObject {
  const object = new ApiObject(scope, id, overrides.apply(manifest));
  Claims.of(scope).claimName(object);
  return object;
}
