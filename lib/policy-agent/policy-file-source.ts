/** Where policy files come from: exactly one of `files`, `configMap` and `image`. */
export interface PolicyFileSource {
  readonly files?: Record<string, string>;
  readonly configMap?: string;
  readonly checksum?: string;
  readonly image?: string;
  readonly roots?: string[];
}
