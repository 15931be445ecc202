import { formatOf } from './configuration/format';
import { compareVersions } from './versions';
import { isObject, Json } from '../private/merge';
import { parseQuantity } from '../private/quantity';

/** One rule of the operator's webhooks, or of its controllers, on objects as they are applied. */
export interface WebhookRule {
  readonly name: string;
  readonly kinds: string[];
  /** What is wrong, or undefined. The object of the last release is there when its manifest is known and has one. */
  readonly check: (spec: Json, previous: Json | undefined, object: Json) => string | undefined;
}

/** The rules, one a row of the table in the docs. */
export const WEBHOOK_RULES: WebhookRule[] = [
  {
    name: 'a cluster is named',
    kinds: ['Cache', 'Schema', 'Backup', 'Restore', 'Batch'],
    check: ({ clusterName, cluster }) => clusterName || cluster ? undefined : 'the name of the cluster must not be empty',
  },
  {
    name: 'requests are not above limits',
    kinds: ['Infinispan', 'Backup', 'Restore', 'Batch'],
    check: ({ container, configListener, service }) => firstOf({
      'container': container, 'configListener': configListener, 'service.sites.local.discovery': service?.sites?.local?.discovery,
    }, wrongResources),
  },
  {
    name: 'storage is a quantity',
    kinds: ['Infinispan'],
    check: ({ service }) => service?.container?.storage === undefined ? undefined : attempt(() => parseQuantity(service.container.storage, 'spec.service.container.storage')),
  },
  {
    name: 'encryption has a certificate',
    kinds: ['Infinispan'],
    check: ({ security }) => {
      const { type = 'None', certSecretName, certServiceName } = security?.endpointEncryption ?? {};
      if (/^none$/i.test(type)) return undefined;
      if (!certSecretName) return `spec.security.endpointEncryption of type ${type} needs certSecretName`;
      return /^secret$/i.test(type) && certServiceName ? 'spec.security.endpointEncryption of type Secret must not have certServiceName' : undefined;
    },
  },
  {
    name: 'a library has one source',
    kinds: ['Infinispan'],
    check: ({ dependencies }) => (dependencies?.artifacts ?? []).some(({ url, maven }: Json) => Boolean(url) === Boolean(maven))
      ? 'every one of spec.dependencies.artifacts must have exactly one of url and maven' : undefined,
  },
  {
    name: 'no autoscaling',
    kinds: ['Infinispan'],
    check: ({ autoscale }) => autoscale ? 'spec.autoscale is refused by the operator' : undefined,
  },
  {
    name: 'the service type is DataGrid',
    kinds: ['Infinispan'],
    check: ({ service }) => service?.type === 'Cache' ? 'spec.service.type Cache is refused by the operator: use DataGrid' : undefined,
  },
  {
    name: 'upgrades are of a known type',
    kinds: ['Infinispan'],
    check: ({ upgrades, service, version }) => {
      const type = upgrades?.type;
      if (type !== undefined && !['Shutdown', 'InPlaceRolling', 'HotRodRolling'].includes(type)) return `spec.upgrades.type must be Shutdown, InPlaceRolling or HotRodRolling, given ${type}`;
      if (type === 'HotRodRolling' && service?.sites) return 'spec.upgrades.type HotRodRolling with spec.service.sites: the operator cannot do both';
      return type === 'InPlaceRolling' && version && compareVersions(version, '16.0.0') < 0 ? `spec.upgrades.type InPlaceRolling needs version 16.0.0, given ${version}` : undefined;
    },
  },
  {
    name: 'a site that is exposed by a Route has TLS',
    kinds: ['Infinispan'],
    check: ({ service }) => {
      const local = service?.sites?.local;
      return local?.expose?.type === 'Route' && !local.encryption ? 'spec.service.sites.local.expose of type Route needs encryption' : undefined;
    },
  },
  {
    name: 'heartbeats are shorter than their timeout',
    kinds: ['Infinispan'],
    check: ({ service }) => {
      const { enabled = true, interval = 10_000, timeout = 30_000 } = service?.sites?.local?.discovery?.heartbeats ?? {};
      if (!enabled || (interval > 0 && timeout > interval)) return undefined;
      return `heartbeats of the router need an interval above 0 and below their timeout, given ${interval} and ${timeout} milliseconds`;
    },
  },
  {
    name: 'the version is not older than before',
    kinds: ['Infinispan'],
    check: ({ version }, previous) => version && previous?.version && compareVersions(version, previous.version) < 0
      ? `spec.version ${version} is older than ${previous.version} of the last release` : undefined,
  },
  {
    name: 'JMX and storage are immutable',
    kinds: ['Infinispan'],
    check: (spec, previous) => {
      if (!previous) return undefined;
      if (Boolean(spec.jmx?.enabled) !== Boolean(previous.jmx?.enabled)) return 'spec.jmx.enabled must not change';
      const [now, before] = [spec, previous].map(({ service }) => service?.container?.storage ?? '1Gi');
      return now === before ? undefined : `spec.service.container.storage must not change, given ${now} after ${before}`;
    },
  },
  {
    name: 'a cache has one configuration or one template',
    kinds: ['Cache'],
    check: ({ template, templateName }) => {
      if (template && templateName) return 'spec.template and spec.templateName: give one of both';
      if (!template && !templateName) return 'spec.template or spec.templateName must be given';
      return template && formatOf(template) === 'YAML' && /^[\s\uFEFF]+[<{]/.test(template) ? 'spec.template must begin with < or { to be taken for XML or JSON' : undefined;
    },
  },
  {
    name: 'updates have a known strategy',
    kinds: ['Cache'],
    check: ({ updates }) => ['retain', 'recreate'].includes(updates?.strategy) ? undefined : `spec.updates.strategy must be retain or recreate, given ${updates?.strategy}`,
  },
  {
    name: 'cluster and name are immutable',
    kinds: ['Cache', 'Schema'],
    check: (spec, previous) => {
      const changed = previous && ['clusterName', 'name'].find((field) => spec[field] !== previous[field]);
      return changed && `spec.${changed} must not change, given ${spec[changed]} after ${previous[changed]}`;
    },
  },
  {
    name: 'a schema is not empty',
    kinds: ['Schema'],
    check: ({ schema }) => schema ? undefined : 'spec.schema must not be empty',
  },
  {
    name: 'a backup is named',
    kinds: ['Restore'],
    check: ({ backup }) => backup ? undefined : 'spec.backup must not be empty',
  },
  {
    name: 'a batch has one source',
    kinds: ['Batch'],
    check: ({ config, configMap }) => (config === undefined) === (configMap === undefined) ? 'exactly one of spec.config and spec.configMap must be given' : undefined,
  },
  {
    name: 'what was done is immutable',
    kinds: ['Backup', 'Restore', 'Batch'],
    check: (spec, previous, { kind }) => previous && canonical(spec) !== canonical(previous)
      ? `spec of a ${kind} must not change after the last release: it was carried out; give a new one another name` : undefined,
  },
];

/** What the operator's webhooks would say about an object. */
export function webhookErrors(object: Json, previous?: Json): string[] {
  return WEBHOOK_RULES
    .filter(({ kinds }) => kinds.includes(object.kind))
    .map(({ check }) => check(object.spec ?? {}, previous?.spec, object))
    .filter((message): message is string => message !== undefined)
    .map((message) => `${object.kind} ${object.metadata.name}: ${message}`);
}

function wrongResources(path: string, { cpu, memory }: Json): string | undefined {
  return firstOf({ cpu, memory }, (name, value) => attempt(() => {
    const [limit, request = limit] = String(value).split(':');
    if (parseQuantity(request, `request in spec.${path}.${name}`) > parseQuantity(limit, `limit in spec.${path}.${name}`)) {
      throw new Error(`spec.${path}.${name} must be limit:request with the request not above the limit, given ${value}`);
    }
  }));
}

function firstOf(values: Record<string, any>, check: (name: string, value: any) => string | undefined): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    const message = value === undefined ? undefined : check(name, value);
    if (message) return message;
  }
  return undefined;
}

function attempt(step: () => void): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The same text for the same contents, whatever the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) => isObject(inner)
    ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
    : inner);
}
