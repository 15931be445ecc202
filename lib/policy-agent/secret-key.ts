/** One key of a Secret that exists in the agent's namespace. */
export interface SecretKey {
  /** Name of the Secret. */
  readonly secretName: string;

  /** Key in the Secret. */
  readonly key: string;
}
