import { IConstruct } from 'constructs';
import { PREFIX } from './labels';

/** Type of the metadata entries that hold warnings. */
export const WARNING_METADATA = `${PREFIX}/warning`;

const printed = new WeakSet<IConstruct>();

/** Runs a step; an error that it throws is given the place in the tree. */
export function locateErrors<T>(scope: IConstruct, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`[${scope.node.path}] ${(error as Error).message}`, { cause: error });
  }
}

/** Attaches a warning to a construct. */
export function warn(scope: IConstruct, message: string) {
  scope.node.addMetadata(WARNING_METADATA, message);
}

/** Prints the warnings of a construct to standard error, the first time that it is called. */
export function printWarnings(scope: IConstruct) {
  if (printed.has(scope)) return;
  printed.add(scope);
  for (const { type, data } of scope.node.metadata) {
    if (type === WARNING_METADATA) {
      process.stderr.write(`[warning] [${scope.node.path}] ${data}\n`);
    }
  }
}
