import { FSWatcher, readFileSync, watch } from 'fs';
import { dirname } from 'path';
import { Configuration, parseConfiguration } from './configuration';

/** The kubelet replaces several files, one after another. */
const SETTLED_MS = 100;

export interface ConfigurationFileHandler {
  readonly changed: (configuration: Configuration) => void;
  /** What is wrong with a new version; the last good one stays. */
  readonly wrong: (error: unknown) => void;
}

/** Reads the configuration; the first time it must be good. */
export function readConfiguration(path: string): Configuration {
  return parseConfiguration(readFileSync(path, 'utf8'));
}

/** Tells of each later version. The folder is watched, for Kubernetes replaces a mounted file by renaming. */
export function followConfiguration(path: string, handler: ConfigurationFileHandler): FSWatcher {
  let last = readFileSync(path, 'utf8');
  let timer: NodeJS.Timeout | undefined;
  return watch(dirname(path), () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      try {
        const text = readFileSync(path, 'utf8');
        if (text === last) return;
        last = text;
        handler.changed(parseConfiguration(text));
      } catch (error) {
        handler.wrong(error);
      }
    }, SETTLED_MS);
  });
}
