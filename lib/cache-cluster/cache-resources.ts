/**
 * Requests and limits of a container, as Kubernetes quantities. The operator is told them as `limit:request`.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 */
export interface CacheResources {
  /**
   * Cores asked for, such as `500m`.
   *
   * @default - the limit
   */
  readonly cpuRequest?: string;

  /**
   * Cores at most. With the operator, a request needs one.
   *
   * @default - no limit
   */
  readonly cpuLimit?: string;

  /**
   * Bytes asked for, such as `1Gi`.
   *
   * @default - the limit
   */
  readonly memoryRequest?: string;

  /**
   * Bytes at most. With the operator, a request needs one.
   *
   * @default - said where the resources are given
   */
  readonly memoryLimit?: string;
}
