import { PolicyEngineBinding } from '../engine';
import { AgentSettings } from '../settings';

/** Seconds after which a pod that does not stop is killed. */
export function terminationGracePeriod(settings: AgentSettings, binding: PolicyEngineBinding): number {
  return settings.props.terminationGracePeriod?.toSeconds() ?? settings.shutdownWaitSeconds + binding.shutdownGraceSeconds + 5;
}
