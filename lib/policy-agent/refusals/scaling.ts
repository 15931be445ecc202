import { Refusal } from './refusal';
import { parseQuantity } from '../../private/quantity';

/** Numbers of pods and their spreading that the workload cannot have. */
export const SCALING_REFUSALS: Refusal[] = [
  function budgetOnNodeWorkload({ traits, previous, props, mode }) {
    if (!traits.perNode || previous?.traits.scaled || !props.disruptionBudget?._spec) return undefined;
    return `disruptionBudget with deploymentMode ${mode}: Kubernetes cannot count the wanted pods of a ${mode}, so the budget would ` +
      'block every eviction or none; leave it out (drains pass over such pods)';
  },

  function blockingBudget({ minPods, props }) {
    const minAvailable = props.disruptionBudget?._spec?.minAvailable;
    if (minAvailable === undefined || minPods === undefined) return undefined;
    const needed = typeof minAvailable === 'number' ? minAvailable : Math.ceil(minPods * parseFloat(minAvailable) / 100);
    if (needed < minPods) return undefined;
    return `disruptionBudget minAvailable ${minAvailable} of ${minPods} pods would block every eviction: nodes could not be drained`;
  },

  function autoscalingOnNodeWorkload({ traits, previous, roleGroups, mode }) {
    const group = roleGroups.find(({ autoscaling }) => autoscaling);
    if (!traits.perNode || previous?.traits.scaled || !group) return undefined;
    return `autoscaling of role group ${group.name} with deploymentMode ${mode}: the number of pods is the number of nodes`;
  },

  function impossibleAutoscaling({ roleGroups }, { resources }) {
    for (const { name, autoscaling, resources: own } of roleGroups) {
      if (!autoscaling) continue;
      const { minReplicas, maxReplicas, targetCpuPercent } = autoscaling;
      if (![minReplicas, maxReplicas].every(Number.isInteger) || minReplicas < 1 || maxReplicas < minReplicas) {
        return `autoscaling of role group ${name} needs whole numbers 1 <= minReplicas <= maxReplicas, given ${minReplicas} and ${maxReplicas}`;
      }
      if (!Number.isInteger(targetCpuPercent) || targetCpuPercent < 1) return `autoscaling of role group ${name} needs a whole targetCpuPercent of at least 1, given ${targetCpuPercent}`;
      const cpuRequest = own.cpuRequest ?? resources.cpuRequest;
      if (!cpuRequest || parseQuantity(cpuRequest, 'CPU request') === 0) {
        return `autoscaling of role group ${name} needs a CPU request: its target is a percentage of it`;
      }
    }
    return undefined;
  },

  function spreadOnNodeWorkload({ traits, previous, props, mode }) {
    if (!traits.perNode || previous?.traits.scaled) return undefined;
    const given = (['topologySpread', 'spreadWeight'] as const).find((key) => props[key] !== undefined);
    return given && `${given} with deploymentMode ${mode} has no effect: each pod belongs to its node`;
  },

  function weightOutOfRange({ props: { spreadWeight } }) {
    if (spreadWeight === undefined || (Number.isInteger(spreadWeight) && spreadWeight >= 1 && spreadWeight <= 100)) return undefined;
    return `spreadWeight must be a whole number from 1 to 100, given ${spreadWeight}`;
  },

  function impossibleSpread({ props: { topologySpread = [] } }) {
    const bad = topologySpread.find(({ maxSkew = 1 }) => !Number.isInteger(maxSkew) || maxSkew < 1);
    return bad ? `maxSkew of topologySpread ${bad.topologyKey} must be a whole number of at least 1, given ${bad.maxSkew}` : undefined;
  },
];
