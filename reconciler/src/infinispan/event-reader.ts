import { createParser } from 'eventsource-parser';

export type ServerObject = 'cache' | 'template' | 'schema' | 'counter';

/** Something of this name was made, changed or removed. */
export interface ServerEvent {
  readonly of: ServerObject;
  readonly name: string;
  /** What was sent along: all of it, or its beginning. */
  readonly data: string;
}

export interface EventHandler {
  readonly event: (event: ServerEvent) => void;
  /** An event that says nothing about what is kept in step. Any event tells that the server listens. */
  readonly ignored: (type: string) => void;
  /** An event that should name something, and does not. */
  readonly unreadable: (type: string) => void;
  /** A line was longer than what is kept of it. */
  readonly cut: (type: string) => void;
}

/**
 * So much is kept of a line, in characters. The name stands at its beginning, and nothing else of an event is needed: truth is read
 * from the server. So an event of any size is read, in bounded memory.
 */
export const LONGEST_LINE = 64 * 1024;

const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const CONFIGURATION = new RegExp(`^\\s*\\{\\s*"infinispan"\\s*:\\s*\\{\\s*"cache-container"\\s*:\\s*\\{\\s*"caches"\\s*:\\s*\\{\\s*(${STRING})\\s*:`);
/** Where the name stands: whatever follows may be cut. */
const NAME: Record<ServerObject, RegExp> = {
  cache: CONFIGURATION,
  template: CONFIGURATION,
  schema: new RegExp(`^\\s*\\{\\s*"schema"\\s*:\\s*\\{\\s*"name"\\s*:\\s*(${STRING})`),
  counter: new RegExp(`^\\s*\\{\\s*"(?:strong|weak)-counter"\\s*:\\s*\\{\\s*"name"\\s*:\\s*(${STRING})`),
};

/** Reads the server's stream of events, however it is cut into chunks. */
export function eventReader(handler: EventHandler): (chunk: string) => void {
  let type = '';
  const cutLines = lineCutter(() => handler.cut(type));
  const parser = createParser({
    onEvent: ({ event = '', data }) => {
      type = event;
      const [, action, of] = /^(create|update|remove)-(cache|template|schema|counter)$/.exec(event) ?? [];
      if (!action) {
        handler.ignored(event);
        return;
      }
      const name = action === 'remove' ? data : nameIn(NAME[of as ServerObject], data);
      if (name === undefined) {
        handler.unreadable(event);
      } else {
        handler.event({ of: of as ServerObject, name, data });
      }
    },
  });
  return (chunk) => parser.feed(cutLines(chunk));
}

/** The configuration in an event of a cache, as the server writes it where it is asked for; undefined where there is none, or not all of it. */
export function configurationIn({ name, data }: ServerEvent): string | undefined {
  try {
    return JSON.stringify(JSON.parse(data).infinispan['cache-container'].caches[name]);
  } catch {
    return undefined;
  }
}

function nameIn(pattern: RegExp, data: string): string | undefined {
  const found = pattern.exec(data)?.[1];
  try {
    return found && JSON.parse(found);
  } catch {
    return undefined;
  }
}

/** Lets pass the first characters of each line only, so that the parser need not hold the rest. */
function lineCutter(cut: () => void): (chunk: string) => string {
  let length = 0;
  return (chunk) => {
    const parts: string[] = [];
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf('\n', start);
      const end = newline === -1 ? chunk.length : newline;
      const room = Math.max(0, LONGEST_LINE - length);
      if (end - start > room && length <= LONGEST_LINE) cut();
      parts.push(chunk.slice(start, Math.min(end, start + room)));
      length += end - start;
      if (newline === -1) break;
      parts.push('\n');
      length = 0;
      start = newline + 1;
    }
    return parts.join('');
  };
}
