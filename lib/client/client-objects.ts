import { ApiObject, Chart } from 'cdk8s';
import { IConstruct } from 'constructs';
import { clientKindOf } from './client-kinds';
import { ClientOffer, Endpoint } from './client-offer';
import { ClientAddress, PolicyClientOptions } from './policy-client-options';
import { mayMakePods, objectsIn } from './resources';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';

/** Makes a ConfigMap of an agent in some namespace. */
export type EmitConfigMap = (name: string, data: Record<string, string>, namespace: string | undefined) => void;

/** The ConfigMaps that an agent's clients need in their own namespaces: each one once in each namespace. */
export class ClientObjects {
  private readonly made = new Set<string>();

  constructor(private readonly agent: IPolicyAgent, private readonly emit: EmitConfigMap) {}

  /** Makes what a client needs in the namespaces that it is in so far. */
  public prepare(client: IConstruct, offer: ClientOffer, endpoint: Endpoint | undefined, options: PolicyClientOptions) {
    const objects = objectsIn(client).filter((object) => options.affinityPointers !== undefined || mayMakePods(object));
    const namespaces = new Set(objects.length > 0 ? objects.map(({ metadata }) => metadata.namespace) : [Chart.of(client).namespace]);
    for (const namespace of namespaces) {
      for (const [name, data] of Object.entries(this.needed(namespace, offer, endpoint, options))) this.make(name, data, namespace);
    }
    for (const { metadata } of objects.filter(refersByConfigMap)) {
      if (metadata.namespace !== this.agent.namespace && offer.discovery) this.make(this.agent.instanceName, offer.discovery, metadata.namespace);
    }
  }

  /** Refuses a namespace for which nothing was made, since the client was not in it when it was named. */
  public check(namespace: string | undefined, offer: ClientOffer, endpoint: Endpoint, options: PolicyClientOptions) {
    for (const name of Object.keys(this.needed(namespace, offer, endpoint, options))) {
      if (!this.made.has(keyOf(name, namespace))) throw new Error(`${late(namespace)}: ConfigMap ${name} was not made there; name the client when its namespace is known`);
    }
  }

  /** Refuses a reference to the discovery ConfigMap from where there is none. */
  public checkDiscovery(namespace: string | undefined) {
    const { instanceName } = this.agent;
    if (namespace === this.agent.namespace || this.made.has(keyOf(instanceName, namespace))) return;
    throw new Error(`${late(namespace)}: there is no copy of the discovery ConfigMap ${instanceName} of namespace ${this.agent.namespace ?? '(not known at synth)'} there`);
  }

  /** What stands in a namespace for its clients: contents by name. */
  private needed(
    namespace: string | undefined, offer: ClientOffer, endpoint: Endpoint | undefined, options: PolicyClientOptions,
  ): Record<string, Record<string, string>> {
    const elsewhere = namespace !== this.agent.namespace;
    return {
      ...offer.sidecar?.configMaps,
      ...(endpoint?.address === ClientAddress.DISCOVERY && elsewhere && { [this.agent.instanceName]: offer.discovery! }),
      ...(options.waitForAgent && !options.waitImage && offer.wait?.files && { [waitConfigMap(this.agent)]: offer.wait.files }),
    };
  }

  private make(name: string, data: Record<string, string>, namespace: string | undefined) {
    if (this.made.has(keyOf(name, namespace))) return;
    if (this.agent.namespace !== undefined && namespace === undefined) {
      throw new Error(`ConfigMap ${name} must stand in the client's namespace, which is not known at synth, while the agent's is ${this.agent.namespace}: give the client one`);
    }
    this.emit(name, data, namespace);
    this.made.add(keyOf(name, namespace));
  }
}

export function waitConfigMap({ instanceName }: IPolicyAgent): string {
  return `${instanceName}-wait`;
}

function refersByConfigMap({ apiVersion, kind }: ApiObject): boolean {
  return clientKindOf({ apiVersion, kind })?.references?.some(({ holds }) => holds === 'configMap') ?? false;
}

function keyOf(name: string, namespace: string | undefined): string {
  return `${namespace ?? ''}/${name}`;
}

function late(namespace: string | undefined): string {
  return namespace === undefined ? 'its namespace is not known at synth' : `it is in namespace ${namespace}`;
}
