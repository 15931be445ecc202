import { Kubectl } from '../rig/kubectl';
import { crdsAvailable, findCrd } from '../support/crds';
import { recordSkipped } from '../support/skipped-kinds';

/** Groups that Kubernetes brings, of those whose name looks like another one's. */
const BUILT_IN = ['networking.k8s.io', 'rbac.authorization.k8s.io'];

/** Makes the custom kinds of objects known to the API server, where their definitions are at hand. */
export async function installCustomKinds(kubectl: Kubectl, objects: any[]) {
  if (!crdsAvailable()) return;
  const kinds = new Set(objects.filter(isCustom).map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`));
  const definitions = [...kinds].map((name) => {
    const definition: any = findCrd(...name.split('/') as [string, string]);
    if (!definition) throw new Error(`no CustomResourceDefinition of ${name}`);
    // Conversion would need the webhook of an operator.
    const { status: _, spec: { conversion: __, ...spec }, ...rest } = definition;
    return { ...rest, spec };
  });
  if (definitions.length === 0) return;
  await kubectl.apply(definitions, '--force-conflicts');
  await kubectl.run('wait', '--for=condition=Established', '--timeout=60s', ...definitions.map(({ metadata }) => `crd/${metadata.name}`));
}

/** Objects that the API server knows; where there are no definitions, custom ones are left out, and named at the end of the file. */
export function known(objects: any[]): any[] {
  if (crdsAvailable()) return objects;
  objects.filter(isCustom).forEach(({ apiVersion, kind }) => recordSkipped(`${kind}.${groupOf(apiVersion)}`));
  return objects.filter((object) => !isCustom(object));
}

function isCustom({ apiVersion }: any): boolean {
  const group = groupOf(apiVersion);
  return group.includes('.') && !BUILT_IN.includes(group);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
}
