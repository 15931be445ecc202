/** How clients are drawn to their agent. */
export interface ClientAffinityOptions {
  /**
   * Weight, 1 to 100, of the preference for nodes with a pod of the agent. Below the 70 by which pods of one workload should
   * be kept apart, or they gather on one node.
   *
   * @default 50
   */
  readonly weight?: number;

  /**
   * Label of nodes: pods are near each other when their nodes have the same value of it.
   *
   * @default 'kubernetes.io/hostname'
   */
  readonly topologyKey?: string;

  /**
   * Make the affinity a condition: pods stay pending where no agent runs, and an agent that is gone for a moment keeps them
   * from starting. `weight` then has no meaning.
   *
   * @default false
   */
  readonly required?: boolean;

  /**
   * Further preferred terms in wire form, each with `weight` and `podAffinityTerm`.
   *
   * @default - none
   */
  readonly extraTerms?: any[];
}
