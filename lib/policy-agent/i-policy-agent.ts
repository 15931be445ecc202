import type { INetworkPolicyPeer, IPodSelector } from 'cdk8s-plus-28';
import type { IConstruct } from 'constructs';
import type { PolicyClientOptions } from '../client/policy-client-options';

/** An agent that clients can be bound to, wherever it was made. */
export interface IPolicyAgent extends IPodSelector, INetworkPolicyPeer {
  /** Name of the agent, and of its discovery ConfigMap. */
  readonly instanceName: string;

  /**
   * Namespace of the agent.
   *
   * @default - not known at synth
   */
  readonly namespace?: string;

  /** Name of the agent's Service. */
  readonly serviceName: string;

  /** Whether the agent runs in the pods of its clients, so that it has none of its own to be near. */
  readonly isSidecar: boolean;

  /** Labels that select the agent's pods, whatever workload runs them. */
  readonly podLabels: Record<string, string>;

  /**
   * Makes a construct a client: a workload, a chart from Helm or a file, a custom resource, or whatever holds some of these.
   * At synth its pods get preferred affinity to the agent's, and its containers the agent's address.
   *
   * Errors: at synth, when the construct holds nothing that makes pods, or what would not work.
   */
  addClient(client: IConstruct, options?: PolicyClientOptions): void;
}
