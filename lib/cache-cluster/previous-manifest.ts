import { existsSync } from 'fs';
import { resolve } from 'path';
import { Yaml } from 'cdk8s';
import { Json } from '../private/merge';

/** The objects of the last release. */
export class PreviousManifest {
  public static read(path: string): PreviousManifest {
    if (!existsSync(path)) throw new Error(`previousManifest ${resolve(path)} does not exist`);
    const objects = Yaml.load(path) as Json[];
    if (objects.length === 0) throw new Error(`previousManifest ${resolve(path)} holds no objects: name the manifest of the last release, or leave it out`);
    return new PreviousManifest(objects);
  }

  private constructor(private readonly objects: Json[]) {}

  /** The object of that kind, name and namespace. */
  public find({ kind, metadata: { name, namespace } }: Json): Json | undefined {
    return this.objects.find((object) => object.kind === kind && object.metadata?.name === name && object.metadata.namespace === namespace);
  }
}
