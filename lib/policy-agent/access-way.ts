import { SocketDirectory } from './socket-directory';

/** What one way of access asks for. */
export interface AccessWay {
  readonly service?: boolean;
  readonly hostPorts?: Record<string, number>;
  readonly socket?: SocketAccess;
}

/** A Unix socket in a directory of the node. */
export interface SocketAccess {
  readonly hostDirectory?: string;
  readonly directory: SocketDirectory;
  /** Four octal digits. */
  readonly mode: string;
  readonly group?: number;
}
