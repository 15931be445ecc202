import { Refusal } from './refusal';
import { terminationGracePeriod } from '../objects/shutdown';

/** Rollouts that would lose requests. */
export const ROLLOUT_REFUSALS: Refusal[] = [
  function killedWhileStopping(settings, binding) {
    const needed = settings.shutdownWaitSeconds + binding.shutdownGraceSeconds;
    const given = terminationGracePeriod(settings, binding);
    if (given >= needed) return undefined;
    return `terminationGracePeriod must be at least ${needed} seconds (shutdownWait ${settings.shutdownWaitSeconds} and the ${binding.shutdownGraceSeconds} ` +
      `that the engine may take to stop), given ${given}`;
  },
];
