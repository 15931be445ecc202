import type { INetworkPolicyPeer, IPodSelector } from 'cdk8s-plus-28';

/** An agent that clients can be bound to, wherever it was made. */
export interface IPolicyAgent extends IPodSelector, INetworkPolicyPeer {
  /** Name of the agent, and of its Service and discovery ConfigMap. */
  readonly instanceName: string;

  /**
   * Namespace of the agent.
   *
   * @default - not known at synth
   */
  readonly namespace?: string;

  /** Labels that select the agent's pods, whatever workload runs them. */
  readonly podLabels: Record<string, string>;
}
