import { ClientOffer, Endpoint } from './client-offer';
import { ClientAddress, PolicyClientOptions } from './policy-client-options';

/** The way by which a client is to reach its agent; undefined if it is not told any. Refuses what the agent has not. */
export function chooseEndpoint({ endpoints, discovery, sidecar }: ClientOffer, options: PolicyClientOptions): Endpoint | undefined {
  const { address } = options;
  if (address === ClientAddress.NONE || (address === undefined && endpoints.length === 0)) {
    const given = (['containers', 'variables', 'caBundle', 'waitForAgent'] as const).filter((key) => options[key] !== undefined && options[key] !== false);
    if (given.length > 0) throw new Error(`${given.join(' and ')} would do nothing: the client is told no address`);
    if (sidecar) throw new Error('ClientAddress.NONE with an agent in the client\'s own pod: nobody would ask it');
    return undefined;
  }
  if (options.waitImage !== undefined && !options.waitForAgent) throw new Error('waitImage has no meaning without waitForAgent');
  if (sidecar) {
    if (address) throw new Error(`address ${address} with an agent in the client's own pod: leave it out, the way of access is the agent's`);
    if (options.waitForAgent) throw new Error('waitForAgent with an agent in the client\'s own pod: it is ready before the client starts anyway, leave it out');
    const affinity = (['weight', 'topologyKey', 'required', 'extraTerms'] as const).filter((key) => options[key] !== undefined);
    if (affinity.length > 0) throw new Error(`${affinity.join(' and ')} with an agent in the client's own pod: there are no pods of its own to be near, leave it out`);
    return endpoints[0];
  }
  const wanted = address === ClientAddress.DISCOVERY ? ClientAddress.SERVICE : address;
  const endpoint = wanted ? endpoints.find((other) => other.address === wanted) : endpoints[0];
  if (!endpoint) {
    throw new Error(`address ${address ?? 'by default'}: the agent is reached by ${endpoints.map((other) => other.address).join(', ') || 'nothing that can be told'}; ` +
      'give it another way of access, or use ClientAddress.NONE');
  }
  if (address === ClientAddress.DISCOVERY) {
    if (!discovery) throw new Error('address DISCOVERY: the agent has no discovery ConfigMap');
    return { ...endpoint, address };
  }
  return endpoint;
}
