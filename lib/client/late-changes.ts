/**
 * Changes objects of other people at the last moment, when nobody changes them any more.
 *
 * A construct sees only what exists when it runs: clients are added later, patched later, or come from Include and Helm. A
 * JSON patch of our own would be followed by the user's, and generated classes would drop from it what their types do not
 * know. So what is changed is the final JSON, by an own `toJson` on each object in question.
 *
 * When? cdk8s knows no hook but validation, which runs before anything is written, and anew for each chart. The first
 * validation renders each object once, changes it and returns what must be refused: an error that is thrown later would
 * leave the files of earlier charts on disk. `toJson` then hands out that JSON instead of rendering once more, since
 * cdk8s-plus adds its spread terms at each rendering.
 *
 * A validation that comes after the JSON was handed out may be that of the same synth for the next chart, or of another
 * synth before which the user has changed things. So the JSON is dropped, and made anew only if someone asks for it: an app
 * renders each object as often as it would without us.
 *
 * What is remembered hangs on the objects, so several apps, libraries of several versions and removed objects do not meet.
 */
import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { Json } from '../private/merge';
import { printWarnings } from '../private/messages';

/** A change of objects that may not exist yet. */
export interface LateChange {
  /** The objects in question, looked for anew each time. */
  objects(): ApiObject[];

  /** A changed copy, or the same JSON. Called once for each rendering. Throws what must be refused. */
  change(json: Json, object: ApiObject): Json;

  /** What is wrong with the whole, after each object was seen. */
  check(): string[];
}

const changesOf = new WeakMap<IConstruct, LateChange[]>();
const renderings = new WeakMap<ApiObject, Rendering>();

/** Has objects changed at synth, on behalf of a construct, which reports what is wrong. */
export function changeLate(owner: IConstruct, change: LateChange) {
  const known = changesOf.get(owner);
  if (known) {
    known.push(change);
    return;
  }
  const changes = [change];
  changesOf.set(owner, changes);
  owner.node.addValidation({
    validate: () => {
      const errors = changes.flatMap((each) => [...each.objects().flatMap((object) => Rendering.of(object).add(each)), ...each.check()]);
      printWarnings(owner);
      return errors;
    },
  });
}

/** The final JSON of an object, once. */
class Rendering {
  public static of(object: ApiObject): Rendering {
    let rendering = renderings.get(object);
    if (!rendering) renderings.set(object, rendering = new Rendering(object));
    return rendering;
  }

  private readonly render: () => Json;
  private readonly changes = new Set<LateChange>();
  private json?: Json;
  private handedOut = false;

  private constructor(private readonly object: ApiObject) {
    this.render = object.toJson.bind(object);
    object.toJson = () => this.handOut();
  }

  /** Adds a change; returns why it must be refused. */
  public add(change: LateChange): string[] {
    if (this.changes.has(change)) {
      if (this.handedOut) this.forget();
      return [];
    }
    this.changes.add(change);
    if (this.handedOut) this.forget();
    try {
      this.json = this.json ? change.change(this.json, this.object) : this.renderAnew();
      return [];
    } catch (error) {
      this.changes.delete(change);
      return [(error as Error).message];
    }
  }

  private handOut(): Json {
    this.json ??= this.renderAnew();
    this.handedOut = true;
    return this.json;
  }

  private renderAnew(): Json {
    let json = this.render();
    for (const change of this.changes) json = change.change(json, this.object);
    return json;
  }

  private forget() {
    this.json = undefined;
    this.handedOut = false;
  }
}
