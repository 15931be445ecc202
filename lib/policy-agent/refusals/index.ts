import { ACCESS_REFUSALS } from './access';
import { ROLLOUT_REFUSALS } from './rollout';
import { SCALING_REFUSALS } from './scaling';
import { SIDECAR_REFUSALS } from './sidecar';
import { TRAFFIC_REFUSALS } from './traffic';
import { PolicyEngineBinding } from '../engine';
import { AgentSettings } from '../settings';

export { refuseRendered } from './rendered';

/** What the props of an agent and its engine decide by themselves. */
const REFUSALS = [...SIDECAR_REFUSALS, ...TRAFFIC_REFUSALS, ...ACCESS_REFUSALS, ...ROLLOUT_REFUSALS, ...SCALING_REFUSALS];

/** Throws for the first combination that would fail on a cluster. */
export function refuse(settings: AgentSettings, binding: PolicyEngineBinding) {
  for (const refusal of REFUSALS) {
    const message = refusal(settings, binding);
    if (message) throw new Error(message);
  }
}
