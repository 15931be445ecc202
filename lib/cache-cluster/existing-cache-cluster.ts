import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { CacheClusterBase } from './cache-cluster-base';
import { CACHE_MODES, CacheDeploymentMode } from './cache-deployment-mode';
import { stateFacts } from './cluster-facts';
import { ExistingCacheClusterOptions } from './existing-cache-cluster-options';
import { adminServiceName } from './names';
import { PreviousManifest } from './previous-manifest';
import { checkSemver, checkVersion } from './versions';
import { locateErrors } from '../private/messages';
import { checkDnsLabel, serviceHost } from '../private/names';

/** A cluster that was made elsewhere. */
export class ExistingCacheCluster extends CacheClusterBase {
  public readonly clusterName: string;
  public readonly namespace?: string;
  public readonly deploymentMode: CacheDeploymentMode;
  public readonly podLabels: Record<string, string>;

  public constructor(scope: Construct, id: string, clusterName: string, options: ExistingCacheClusterOptions) {
    super(scope, id);
    this.clusterName = locateErrors(this, () => checkDnsLabel(clusterName, 'name of the cluster'));
    this.namespace = options.namespace ?? Chart.of(this).namespace;
    this.deploymentMode = options.deploymentMode ?? CacheDeploymentMode.OPERATOR;
    this.podLabels = options.podLabels ?? CACHE_MODES[this.deploymentMode].podLabels(clusterName);
    const {
      version, operatorVersion, endpointAuthentication = true, clientCredentialsSecret, caSecret, clusterDomain, previousManifest,
      reconciledElsewhere,
    } = options;
    stateFacts(this, locateErrors(this, () => ({
      version: version && checkVersion(version),
      operatorVersion: operatorVersion && checkSemver(operatorVersion, 'operatorVersion'),
      authentication: endpointAuthentication,
      clientCredentialsSecret,
      caSecret,
      host: serviceHost(clusterName, this.namespace, clusterDomain),
      adminHost: serviceHost(adminServiceName(clusterName), this.namespace, clusterDomain),
      // It must look for definitions whoever made them, and needs not be told.
      applier: reconciledElsewhere ? { expect: () => undefined } : undefined,
      previous: previousManifest === undefined ? undefined : PreviousManifest.read(previousManifest),
      severalClusters: false,
    })));
  }
}
