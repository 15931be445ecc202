const SUFFIXES: Record<string, number> = {
  '': 1,
  'm': 1e-3,
  'k': 1e3,
  'M': 1e6,
  'G': 1e9,
  'T': 1e12,
  'P': 1e15,
  'E': 1e18,
  'Ki': 2 ** 10,
  'Mi': 2 ** 20,
  'Gi': 2 ** 30,
  'Ti': 2 ** 40,
  'Pi': 2 ** 50,
  'Ei': 2 ** 60,
};

/**
 * The number that a Kubernetes quantity such as `250m`, `128Mi` or `1e3` stands for (cores, bytes, pieces).
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function parseQuantity(quantity: string, what: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(?:([eE][+-]?\d+)|([KMGTPE]i|[mkMGTPE]?))$/.exec(quantity);
  if (!match) {
    throw new Error(`${what} must be a Kubernetes quantity such as 250m or 128Mi, given ${JSON.stringify(quantity)}`);
  }
  return match[2] ? Number(match[1] + match[2]) : Number(match[1]) * SUFFIXES[match[3]];
}
