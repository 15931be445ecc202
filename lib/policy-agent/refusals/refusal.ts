import { PolicyEngineBinding } from '../engine';
import { AgentSettings } from '../settings';

/** A combination of props that would fail, or silently do nothing, on a cluster: the message, or undefined when all is well. */
export type Refusal = (settings: AgentSettings, binding: PolicyEngineBinding) => string | undefined;
