import { CacheDeploymentMode } from './cache-deployment-mode';
import { ICacheCluster } from './i-cache-cluster';

/** Refuses what only an operator carries out, with the way that there is without one. */
export function requireOperator({ deploymentMode, clusterName }: ICacheCluster, what: string, wayOut: string) {
  if (deploymentMode === CacheDeploymentMode.OPERATOR) return;
  throw new Error(`${what} needs deploymentMode OPERATOR, and cluster ${clusterName} has no operator that would carry it out: ${wayOut}`);
}
