import type { Container, Volume } from 'kubernetes-types/core/v1';
import { ClientAddress } from './policy-client-options';
import type { NodeSelection } from '../private/node-coverage';

/** A way by which clients reach an agent. */
export interface Endpoint {
  readonly address: ClientAddress;
  /** What the words in variables and containers stand for, besides the host of a node and what depends on the client. */
  readonly words: Record<string, string>;
  /** Variables by name, with words in braces. */
  readonly variables: Record<string, string>;
  /** Variable that holds the address of the client's node, and whether an IPv6 address is to be expected. */
  readonly node?: { readonly variable: string; readonly ipv6: boolean };
  /** Directory of the node that holds the socket. */
  readonly socket?: { readonly directory: string; readonly volume: Omit<Volume, 'name'>; readonly group?: number };
  /** Container that waits, with words in braces. */
  readonly waitContainer?: any;
  /** Whether only an agent on the client's own node answers. */
  readonly nodeLocal: boolean;
}

/** The pods of an agent that stands on each node that it may stand on. */
export interface AgentNodes {
  readonly selections: Record<string, NodeSelection>;
  readonly tolerations: any[][];
}

/** Containers that make an agent part of its client's pod. */
export interface Sidecar {
  readonly initContainers: Container[];
  readonly volumes: Volume[];
  /** ConfigMaps that the volumes name, by name. */
  readonly configMaps: Record<string, Record<string, string>>;
  /** Changes with the configuration. */
  readonly checksum: string;
  readonly imagePullSecrets: string[];
}

/** What an agent has to offer to its clients. */
export interface ClientOffer {
  /** In order of preference. */
  readonly endpoints: Endpoint[];
  /** The discovery ConfigMap's contents. */
  readonly discovery?: Record<string, string>;
  readonly tls?: {
    /** Secret in the agent's namespace whose `ca.crt` verifies the agent's certificate. */
    readonly caSecret?: string;
    readonly serverName?: string;
    /** Clients must show a certificate, which those who wait have not. */
    readonly clientCertificates: boolean;
  };
  /** What is common to all containers that wait; undefined if the agent's image cannot be used for it. */
  readonly wait?: { readonly container: any; readonly files?: Record<string, string>; readonly waitsByItself: boolean };
  /** Where there is an agent; undefined where that is anywhere. */
  readonly nodes?: AgentNodes;
  /** The agent runs in the pods of its clients. */
  readonly sidecar?: Sidecar;
}
