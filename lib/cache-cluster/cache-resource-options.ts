/** Options that every resource of a cluster has. */
export interface CacheResourceOptions {
  /**
   * Labels of the resource, besides its own.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Annotations of the resource.
   *
   * @default - none
   */
  readonly annotations?: Record<string, string>;
}
