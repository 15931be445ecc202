import { Refusal } from './refusal';
import { isSome, terminationGracePeriod } from '../settings';

/** Rollouts that would hang, or lose requests. */
export const ROLLOUT_REFUSALS: Refusal[] = [
  function surgeWithFixedEndpoint({ traits, hostPorts, socket, rollout }) {
    if (!traits.perNode || (!hostPorts && !socket) || !isSome(rollout.maxSurge)) return undefined;
    const why = hostPorts
      ? 'a hostPort: the new pod waits for the port of the old one, which waits for the new pod'
      : 'a Unix socket: the old pod removes the socket of the new one when it stops, unnoticed by Kubernetes';
    return `rollout.maxSurge ${rollout.maxSurge} with ${why}; leave maxSurge out`;
  },

  function impossibleRollout({ traits, rollout, mode }) {
    const [surge, unavailable] = [isSome(rollout.maxSurge), isSome(rollout.maxUnavailable)];
    if (traits.perNode ? surge !== unavailable : surge || unavailable) return undefined;
    return `rollout with maxSurge ${rollout.maxSurge} and maxUnavailable ${rollout.maxUnavailable}: ` +
      (traits.perNode ? `deploymentMode ${mode} allows exactly one of them to be above 0` : 'one of them must be above 0');
  },

  function killedWhileStopping(settings, binding) {
    const needed = settings.shutdownWaitSeconds + binding.shutdownGraceSeconds;
    const given = terminationGracePeriod(settings, binding);
    if (given >= needed) return undefined;
    return `terminationGracePeriod must be at least ${needed} seconds (shutdownWait ${settings.shutdownWaitSeconds} and the ${binding.shutdownGraceSeconds} ` +
      `that the engine may take to stop), given ${given}`;
  },
];
