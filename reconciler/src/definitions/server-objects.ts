/** What the server has under a name. */
export interface ServerObject {
  readonly text: string;
  /** What the server says is wrong with it. */
  readonly error?: string;
}

/** What there is of one kind on the server, by name. */
export interface ServerObjects {
  /** In what the server says with status 500: that the same definition will be refused again. */
  readonly refusal: RegExp;
  read(name: string): Promise<ServerObject | undefined>;
  /** Whether the server has what a definition says. */
  agrees(definition: string, text: string): Promise<boolean>;
  create(name: string, definition: string): Promise<void>;
  /** Changes one that is there. Left out where the server cannot: what is to be another is then removed, with all that it holds. */
  update?(name: string, definition: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A definition that the server cannot be given. */
export class Refused extends Error {}
