import { IConstruct } from 'constructs';
import { checkAffinityOptions } from './check-affinity-options';
import { chooseEndpoint } from './choose-endpoint';
import { ClientObjects, EmitConfigMap } from './client-objects';
import { ClientOffer } from './client-offer';
import { AgentConstruct, ExplicitClient } from './explicit-client';
import { pathOf } from './json-path';
import { changeLate } from './late-changes';
import { PolicyClientOptions } from './policy-client-options';
import { locateErrors } from '../private/messages';

/** The clients of one agent that are named. */
export class AgentClients {
  private readonly objects: ClientObjects;

  constructor(private readonly agent: AgentConstruct, private readonly offer: ClientOffer, emit: EmitConfigMap) {
    this.objects = new ClientObjects(agent, emit);
  }

  /** Makes a construct a client. What it holds is changed at synth; objects that it needs are made at once. */
  public add(client: IConstruct, options: PolicyClientOptions = {}) {
    const { agent, offer, objects } = this;
    const change = locateErrors(agent, () => {
      checkAffinityOptions(options);
      options.affinityPointers?.forEach(pathOf);
      const endpoint = chooseEndpoint(offer, options);
      objects.prepare(client, offer, endpoint, options);
      return new ExplicitClient(agent, offer, objects, client, endpoint, options);
    });
    changeLate(agent, change);
  }
}
