import { parseQuantity } from '../../private/quantity';
import { CacheResources } from '../cache-resources';

/** Refuses quantities that are none, and requests above limits. */
export function checkResources(resources: CacheResources, what: string): CacheResources {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = resources;
  checkOrder(`CPU of ${what}`, cpuRequest, cpuLimit);
  checkOrder(`memory of ${what}`, memoryRequest, memoryLimit);
  return resources;
}

function checkOrder(what: string, request?: string, limit?: string) {
  const wanted = request === undefined ? 0 : parseQuantity(request, `request of ${what}`);
  const most = limit === undefined ? Infinity : parseQuantity(limit, `limit of ${what}`);
  if (wanted > most) throw new Error(`request of ${what} must not be above its limit, given ${request} and ${limit}`);
}

/** As the operator wants them. */
export function operatorResources(resources: CacheResources, what: string): { readonly cpu?: string; readonly memory?: string } {
  checkResources(resources, what);
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = resources;
  return {
    ...limitAndRequest('cpu', cpuLimit, cpuRequest, what),
    ...limitAndRequest('memory', memoryLimit, memoryRequest, what),
  };
}

function limitAndRequest(name: string, limit: string | undefined, request: string | undefined, what: string): Record<string, string> {
  if (limit !== undefined) return { [name]: request === undefined ? limit : `${limit}:${request}` };
  if (request === undefined) return {};
  throw new Error(`${name}Request of ${what} needs ${name}Limit: the operator takes a limit, or a limit and a request, given ${request}`);
}

/** As a container wants them. */
export function containerResources(resources: CacheResources, what: string): any {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = checkResources(resources, what);
  return {
    requests: { ...(cpuRequest && { cpu: cpuRequest }), ...(memoryRequest && { memory: memoryRequest }) },
    limits: { ...(cpuLimit && { cpu: cpuLimit }), ...(memoryLimit && { memory: memoryLimit }) },
  };
}
