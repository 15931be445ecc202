import { Refusal } from './refusal';
import { Acknowledgement } from '../acknowledgement';
import { InternalTrafficPolicy } from '../traffic';

/** What the Service of an agent must not promise. */
export const TRAFFIC_REFUSALS: Refusal[] = [
  function migrationToTheSame({ previous, mode }) {
    return previous?.mode === mode ? `migrateFrom ${mode} is the deploymentMode itself: leave it out` : undefined;
  },

  function migrationByNodeEndpoint({ previous, hostPorts, socket }) {
    if (!previous || (!hostPorts && !socket)) return undefined;
    const way = hostPorts ? 'a hostPort' : 'a Unix socket';
    return `migrateFrom with access by ${way}: while both workloads stand, only the Service reaches the pods of both; first release the agent with ` +
      'AgentAccess.service() and move its clients there, then change the mode, then add other ways of access';
  },

  function localWhileMigrating({ previous, internalTrafficPolicy }) {
    if (!previous || internalTrafficPolicy !== InternalTrafficPolicy.LOCAL) return undefined;
    return 'migrateFrom with internalTrafficPolicy Local: nodes whose pod comes or goes would have none; leave internalTrafficPolicy out until the mode is changed';
  },

  function localOnScaledWorkload({ traits, internalTrafficPolicy, mode, service, acknowledged }) {
    if (traits.perNode || !service || internalTrafficPolicy !== InternalTrafficPolicy.LOCAL) return undefined;
    if (acknowledged.includes(Acknowledgement.LOCAL_WITHOUT_FULL_COVERAGE)) return undefined;
    return `internalTrafficPolicy Local with deploymentMode ${mode}: clients on nodes without a pod of the agent get no answer, since their ` +
      'packets are dropped; leave internalTrafficPolicy out (trafficDistribution prefers near pods without dropping packets), or acknowledge ' +
      'LOCAL_WITHOUT_FULL_COVERAGE';
  },

  function inertTrafficDistribution({ props, internalTrafficPolicy }) {
    if (!props.trafficDistribution || internalTrafficPolicy !== InternalTrafficPolicy.LOCAL) return undefined;
    return `trafficDistribution ${props.trafficDistribution} has no effect with internalTrafficPolicy Local ` +
      `(${props.internalTrafficPolicy ? 'given' : 'the default of this deploymentMode'}): set internalTrafficPolicy to CLUSTER, or leave one of both out`;
  },

  function trafficWithoutService({ service, hostPorts, props }) {
    if (service) return undefined;
    const ofService = ['internalTrafficPolicy', 'trafficDistribution', 'headlessService', ...(hostPorts ? [] : ['ipFamily'])] as const;
    const given = (ofService as readonly (keyof typeof props)[]).filter((key) => props[key]);
    return given.length > 0 ? `${given.join(' and ')} concern the Service, but access has no AgentAccess.service()` : undefined;
  },
];
