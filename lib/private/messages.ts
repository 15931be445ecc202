import { IConstruct } from 'constructs';
import { PREFIX } from './labels';

/** Type of the metadata entries that hold warnings. */
export const WARNING_METADATA = `${PREFIX}/warning`;

/** How many metadata entries of a construct were looked at. */
const printed = new WeakMap<IConstruct, number>();

/** Runs a step; an error that it throws is given the place in the tree. */
export function locateErrors<T>(scope: IConstruct, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { message, stack = '' } = error as Error;
    const located = new Error(`[${scope.node.path}] ${message}`);
    // Where it arose, rather than where it was given its place.
    located.stack = `${located.name}: ${located.message}${stack.slice(stack.indexOf('\n    at '))}`;
    throw located;
  }
}

/** Attaches a warning to a construct. */
export function warn(scope: IConstruct, message: string) {
  scope.node.addMetadata(WARNING_METADATA, message);
}

/** Prints the warnings of a construct to standard error, each once. */
export function printWarnings(scope: IConstruct) {
  const { metadata } = scope.node;
  const news = metadata.slice(printed.get(scope) ?? 0);
  printed.set(scope, metadata.length);
  for (const { type, data } of news) {
    if (type === WARNING_METADATA) {
      process.stderr.write(`[warning] [${scope.node.path}] ${data}\n`);
    }
  }
}
