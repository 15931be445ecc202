import { App, Chart } from 'cdk8s';
import { CacheCluster, CacheClusterProps, ConfigReconciler, ConfigReconcilerProps, ConfigReconciling, OwnConfigReconcilerOptions } from '../../../lib';
import { Configuration, parseConfiguration } from '../../../reconciler/src/configuration';
import { find } from '../../support/synth';
import { STATEFUL_SET } from '../caches';

/** A cluster in a StatefulSet with a reconciler of its own. */
export function reconciled(
  options: OwnConfigReconcilerOptions = {}, props: CacheClusterProps = {},
): { readonly chart: Chart; readonly cluster: CacheCluster } {
  const chart = new Chart(new App(), 'test', { namespace: 'caches' });
  const cluster = new CacheCluster(chart, 'Sessions', {
    deploymentMode: STATEFUL_SET,
    usersSecret: 'sessions-users',
    clientCredentialsSecret: 'sessions-client',
    configReconciler: ConfigReconciling.own(options),
    ...props,
  });
  return { chart, cluster };
}

/** A shared reconciler in a chart, to which clusters are to be added. */
export function shared(props: ConfigReconcilerProps = {}): { readonly chart: Chart; readonly reconciler: ConfigReconciler } {
  const chart = new Chart(new App(), 'test', { namespace: 'caches' });
  return { chart, reconciler: new ConfigReconciler(chart, 'Reconciler', props) };
}

/** What the program reads, by its own reader, which refuses what it does not know. */
export function configurationOf(objects: any[], reconciler = 'sessions-reconciler'): Configuration {
  return parseConfiguration(find(objects, 'ConfigMap', `${reconciler}-configuration`).data['config.json']);
}

/** The rules of the Role, a line each. */
export function rulesOf(objects: any[]): string[] {
  return find(objects, 'Role').rules.map(({ apiGroups: [group], resources: [resource], verbs, resourceNames }: any) =>
    `${verbs.join(',')} ${group ? `${group}/` : ''}${resource}${resourceNames ? ` ${resourceNames.join(',')}` : ''}`);
}
