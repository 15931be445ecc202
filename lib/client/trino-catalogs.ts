import { ApiObject } from 'cdk8s';
import { objectsIn } from './resources';
import { Json } from '../private/merge';

/** The TrinoCatalogs of the app that an object belongs to. */
export function catalogsOf({ node }: ApiObject): Json[] {
  return objectsIn(node.root).filter(({ kind, apiGroup }) => kind === 'TrinoCatalog' && apiGroup === 'trino.stackable.tech').map((object) => object.toJson());
}
