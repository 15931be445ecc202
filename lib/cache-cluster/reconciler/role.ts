import { Lazy } from 'cdk8s';
import type { PolicyRule } from 'kubernetes-types/rbac/v1';
import { ConfigDirection, ConfigRemoval } from './config-policies';
import { reconcilerMetadata, ReconcilerSettings, Served, watchesDefinitions } from './reconciler-settings';
import { Manifest } from '../../private/objects';

const RBAC = 'rbac.authorization.k8s.io';

/** The service account, unless the user names one. Only the pod that asks for its token gets it. */
export function serviceAccountManifest(settings: ReconcilerSettings): Manifest | undefined {
  if (settings.options.serviceAccountName !== undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: reconcilerMetadata(settings, settings.serviceAccountName),
    automountServiceAccountToken: false,
  };
}

export function roleManifest(settings: ReconcilerSettings, served: Served): Manifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: reconcilerMetadata(settings, settings.name),
    rules: Lazy.any({ produce: () => rules(settings, served) }),
  };
}

export function roleBindingManifest(settings: ReconcilerSettings): Manifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: reconcilerMetadata(settings, settings.name),
    roleRef: { apiGroup: RBAC, kind: 'Role', name: settings.name },
    // Left out, it is that of the RoleBinding.
    subjects: [{ kind: 'ServiceAccount', name: settings.serviceAccountName, ...(settings.namespace && { namespace: settings.namespace }) }],
  };
}

/** What the configuration needs, and nothing else. Lists and watches of one object may be limited to its name. */
function rules(settings: ReconcilerSettings, served: Served): PolicyRule[] {
  const { clusters } = served;
  const secrets = [...new Set(clusters.flatMap(({ credentials }) => credentials ? [credentials.secret] : []))];
  const operated = clusters.filter(({ operator }) => operator).map(({ name }) => name);
  const definitions = watchesDefinitions(settings, served);
  return [
    rule('infinispan.org', 'caches', ['list', 'watch', 'create', 'patch', 'delete']),
    ...(clusters.some(({ direction }) => direction === ConfigDirection.BOTH) ? [rule('infinispan.org', 'caches/status', ['patch'])] : []),
    ...(operated.length > 0 ? [rule('infinispan.org', 'infinispans', ['list', 'watch'], operated)] : []),
    rule('events.k8s.io', 'events', ['create']),
    ...(secrets.length > 0 ? [rule('', 'secrets', ['list', 'watch'], secrets)] : []),
    ...(definitions ? [rule('', 'configmaps', ['list', 'watch']), rule('', 'configmaps', ['patch'], writtenConfigMaps(settings, served))] : []),
    ...(definitions && clusters.some(({ podService }) => podService) ? [rule('discovery.k8s.io', 'endpointslices', ['list', 'watch'])] : []),
  ];
}

/** Undefined where they cannot be known: made by others, or left out of the app and still held by the finalizer. */
function writtenConfigMaps({ options }: ReconcilerSettings, { clusters, definitions }: Served): string[] | undefined {
  return options.definitions || clusters.some(({ removal }) => removal === ConfigRemoval.REMOVE) ? undefined : [...definitions].sort();
}

function rule(apiGroup: string, resource: string, verbs: string[], resourceNames?: string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources: [resource], ...(resourceNames && { resourceNames }), verbs };
}
