import { CacheAcknowledgement } from './cache-acknowledgement';
import { CacheClusterProps } from './cache-cluster-props';
import { CacheDeploymentMode } from './cache-deployment-mode';
import { CacheUpgradeStrategy } from './cache-upgrade-strategy';
import { CacheClusterSettings } from './settings';
import { CacheFeature, checkCacheFeature, compareVersions, sameMinor } from './versions';
import { parseQuantity } from '../private/quantity';

const { OPERATOR, STATEFUL_SET } = CacheDeploymentMode;

/** What one mode alone can do, and why the other one cannot. */
const ONE_MODE_ONLY: [keyof CacheClusterProps, CacheDeploymentMode, string][] = [
  ['operatorVersion', OPERATOR, 'there is no operator'],
  ['sites', OPERATOR, 'routers between sites, and their exposure, are set up by the operator'],
  ['cliJvmOptions', OPERATOR, 'no command line tool is run'],
  ['routerJvmOptions', OPERATOR, 'there is no router'],
  ['librariesVolumeClaim', OPERATOR, 'the image loads what libraries names; mount others by podOverrides'],
  ['networkPolicy', STATEFUL_SET, 'pods of the operator (routers, backups) need ports that this library does not know; write a NetworkPolicy with the cluster as its selector'],
  ['disruptionBudget', STATEFUL_SET, 'the operator stops and starts its pods by itself; write a PodDisruptionBudget for podLabels'],
  ['runAsUser', STATEFUL_SET, 'the operator makes the pods'],
  ['imagePullSecrets', STATEFUL_SET, 'the operator makes the pods; name them in the service account'],
  ['podOverrides', STATEFUL_SET, 'the operator makes the pods; use objectOverrides for the Infinispan resource'],
  ['acceptCacheChanges', STATEFUL_SET, 'caches are resources, which say what a change does by updates'],
];

type CacheRefusal = (settings: CacheClusterSettings) => string | undefined;

/** Combinations of props that would fail, or silently do nothing, on a cluster. */
const REFUSALS: CacheRefusal[] = [
  function otherMode({ mode, props }) {
    const bad = ONE_MODE_ONLY.find(([prop, needed]) => needed !== mode && props[prop] !== undefined);
    return bad && `${bad[0]} is only for deploymentMode ${bad[1]}, given ${mode}: ${bad[2]}`;
  },

  function needsOperator({ mode, props: { tls, expose, configReconciler } }) {
    if (mode === OPERATOR) return undefined;
    if (configReconciler?._way.listener) return `ConfigReconciling.operatorListener is only for deploymentMode ${OPERATOR}: use ConfigReconciling.own or shared`;
    if (tls?._serviceName) return `CacheTls.fromService is only for deploymentMode ${OPERATOR}: use CacheTls.fromSecret`;
    if (tls?._options.clientCertificates === 'Authenticate') {
      return `clientCertificates Authenticate is only for deploymentMode ${OPERATOR}, which makes the trust store: use VALIDATE`;
    }
    return expose?._spec.type === 'Route' ? `CacheExpose.route is only for deploymentMode ${OPERATOR}: make an Ingress or Gateway for the Service` : undefined;
  },

  function limitOfOperatorsStorage({ mode, storage }) {
    const limit = storage._ephemeral?.sizeLimit;
    return mode === OPERATOR && limit ? `sizeLimit ${limit} of ephemeral storage is only for deploymentMode ${STATEFUL_SET}: the operator has no such limit` : undefined;
  },

  function upgrades({ mode, upgradeStrategy, props: { sites, previousVersion, version } }) {
    if (mode === STATEFUL_SET) {
      return upgradeStrategy === CacheUpgradeStrategy.IN_PLACE_ROLLING
        ? undefined : `upgradeStrategy ${upgradeStrategy} is only for deploymentMode ${OPERATOR}: a StatefulSet changes its servers one after the other`;
    }
    if (upgradeStrategy === CacheUpgradeStrategy.HOT_ROD_ROLLING && sites) return 'upgradeStrategy HotRodRolling with sites: the operator cannot do both';
    if (upgradeStrategy !== CacheUpgradeStrategy.IN_PLACE_ROLLING) return undefined;
    checkCacheFeature(CacheFeature.IN_PLACE_ROLLING, version, 'upgradeStrategy InPlaceRolling');
    if (!previousVersion || !version || sameMinor(previousVersion, version)) return undefined;
    return `upgradeStrategy InPlaceRolling from ${previousVersion} to ${version}: only the last number of the version may change`;
  },

  function downgrade({ version, props: { previousVersion } }) {
    if (!version || !previousVersion || compareVersions(version, previousVersion) >= 0) return undefined;
    return `version ${version} is older than ${previousVersion} of the last release: servers cannot read the state of newer ones`;
  },

  function stoppedStatefulSet({ mode, replicas }) {
    return mode === STATEFUL_SET && replicas < 1
      ? 'replicas must be at least 1 with deploymentMode STATEFUL_SET, given 0: stopping all servers loses what is in memory' : undefined;
  },

  function users({ mode, traits, authentication, props: { usersSecret, clientCredentialsSecret } }) {
    if (!authentication) {
      const given = usersSecret ? 'usersSecret' : clientCredentialsSecret ? 'clientCredentialsSecret' : undefined;
      return given && `${given} has no effect with endpointAuthentication false: leave one of both out`;
    }
    if (mode === STATEFUL_SET && !usersSecret) {
      return `endpointAuthentication with deploymentMode ${STATEFUL_SET} needs usersSecret (${traits.usersKeys}): no password is ever written into a manifest`;
    }
    return undefined;
  },

  function authorizationWithoutUsers({ authentication, authorization, props: { roles } }) {
    if (authorization && !authentication) return 'authorization needs endpointAuthentication: nobody has a role without';
    if (roles && !authorization) return 'roles have no effect with authorization false: leave one of both out';
    const names = (roles ?? []).map(({ name }) => name);
    const bad = names.find((name) => !/^\S+$/.test(name));
    if (bad !== undefined) return `a role must have a name without spaces, given ${JSON.stringify(bad)}`;
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice) return `roles name ${twice} twice`;
    const empty = (roles ?? []).find(({ permissions }) => permissions.length === 0);
    return empty && `role ${empty.name} needs at least one permission, given none`;
  },

  function storageBelowMemory({ storage, storageSize, resources, acknowledged }) {
    if (!storage._persistent || acknowledged.includes(CacheAcknowledgement.STORAGE_BELOW_MEMORY)) return undefined;
    if (parseQuantity(storageSize, 'size of the storage') >= parseQuantity(resources.memoryLimit, 'memory limit')) return undefined;
    return `storage of ${storageSize} is smaller than the memory limit ${resources.memoryLimit}: a full volume stops a server for good; make it larger, or ` +
      'acknowledge STORAGE_BELOW_MEMORY';
  },

  function spreadWeight({ props: { spreadWeight: weight } }) {
    if (weight === undefined || (Number.isInteger(weight) && weight >= 1 && weight <= 100)) return undefined;
    return `spreadWeight must be a whole number from 1 to 100, given ${weight}`;
  },

  function topologySpread({ props: { topologySpread: spread = [] } }) {
    const bad = spread.find(({ maxSkew = 1 }) => !Number.isInteger(maxSkew) || maxSkew < 1);
    return bad && `maxSkew of topologySpread ${bad.topologyKey} must be a whole number of at least 1, given ${bad.maxSkew}`;
  },

  function monitoringCredentials({ mode, authentication, props: { monitoring, clientCredentialsSecret } }) {
    const options = monitoring?._serviceMonitor;
    if (!options) return undefined;
    if (mode === OPERATOR) {
      const given = options.credentialsSecret ? 'credentialsSecret' : options.interval ? 'interval' : undefined;
      return given && `${given} of the ServiceMonitor is only for deploymentMode ${STATEFUL_SET}: the operator makes its own`;
    }
    if (!authentication || options.credentialsSecret || clientCredentialsSecret) return undefined;
    return 'monitoring with endpointAuthentication needs credentialsSecret or clientCredentialsSecret: metrics are not for everyone';
  },

  function nodePorts({ props: { expose } }) {
    const nodePort = expose?._spec.nodePort;
    return nodePort !== undefined && !(Number.isInteger(nodePort) && nodePort >= 1 && nodePort <= 65535)
      ? `nodePort must be a whole number from 1 to 65535, given ${nodePort}` : undefined;
  },
];

/** Throws for the first combination that would fail on a cluster. */
export function refuseCacheCluster(settings: CacheClusterSettings) {
  for (const refusal of REFUSALS) {
    const message = refusal(settings);
    if (message) throw new Error(message);
  }
}
