import { Kubectl } from '../rig/kubectl';
import { eventually } from '../support/http';

/**
 * Waits until so many pods of a Service are ready endpoints of it: a workload counts as rolled out up to some seconds
 * before they are.
 */
export async function untilEndpoints(kubectl: Kubectl, namespace: string, count: number) {
  await eventually(`${count} ready endpoints`, async () => {
    const slices = await kubectl.list('endpointslices', namespace, 'kubernetes.io/service-name=agent');
    return slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions.ready).length === count;
  }, 60);
}
