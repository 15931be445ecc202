import { CacheProbe } from '../cache-probe';

const STEADY = { failureThreshold: 5, initialDelaySeconds: 0, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 };

/** What the operator's webhook fills in, and the StatefulSet has, too. */
export const PROBE_DEFAULTS = {
  livenessProbe: STEADY,
  readinessProbe: STEADY,
  startupProbe: { failureThreshold: 600, initialDelaySeconds: 3, periodSeconds: 1, successThreshold: 1, timeoutSeconds: 1 },
};

/** In wire form, with the defaults of its kind. */
export function probeTimes(kind: keyof typeof PROBE_DEFAULTS, probe: CacheProbe = {}): typeof STEADY {
  const defaults = PROBE_DEFAULTS[kind];
  const times = {
    failureThreshold: probe.failureThreshold ?? defaults.failureThreshold,
    initialDelaySeconds: probe.initialDelay?.toSeconds() ?? defaults.initialDelaySeconds,
    periodSeconds: probe.period?.toSeconds() ?? defaults.periodSeconds,
    successThreshold: probe.successThreshold ?? defaults.successThreshold,
    timeoutSeconds: probe.timeout?.toSeconds() ?? defaults.timeoutSeconds,
  };
  for (const [name, value] of Object.entries(times)) {
    const least = name === 'initialDelaySeconds' ? 0 : 1;
    if (!(Number.isInteger(value) && value >= least)) throw new Error(`${name} of ${kind} must be a whole number of at least ${least}, given ${value}`);
  }
  if (kind !== 'readinessProbe' && times.successThreshold !== 1) {
    throw new Error(`successThreshold of ${kind} must be 1, given ${times.successThreshold}: Kubernetes allows no other`);
  }
  return times;
}
