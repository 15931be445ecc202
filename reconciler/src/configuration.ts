import { LOG_LEVELS, LogLevel } from './log';
import { ConfigDirection, ConfigOrphans, ConfigRemoval } from '../../lib/cache-cluster/reconciler/config-policies';

export interface ClusterConfiguration {
  readonly name: string;
  /** Address of the servers' administration. */
  readonly url: string;
  /** Secret with the credentials; undefined when the server asks nobody. */
  readonly secret?: string;
  readonly usernameKey: string;
  readonly passwordKey: string;
  /** File with the authority of the server's certificate. */
  readonly caFile?: string;
  /** Name in the server's certificate; that of the address when left out. */
  readonly serverName?: string;
  /** Whether an operator runs the cluster, by an `Infinispan` resource of this name. */
  readonly operator: boolean;
  /** Headless Service of the servers, where each tells only of what it did itself: each of its pods is listened to. */
  readonly perPod?: string;
  readonly direction: ConfigDirection;
  readonly removal: ConfigRemoval;
  /** Whether nothing is written at all. */
  readonly paused: boolean;
}

export interface Configuration {
  /** Which one of several of these programs it is. */
  readonly instance: string;
  /** That of the pod when left out. */
  readonly namespace?: string;
  readonly logLevel: LogLevel;
  readonly orphans: ConfigOrphans;
  /** Whether ConfigMaps define counters, schemas, tasks and templates. */
  readonly definitions: boolean;
  readonly clusters: ClusterConfiguration[];
}

type Kind = 'text' | 'boolean';
interface Field {
  readonly kind: Kind;
  readonly optional?: boolean;
  readonly allowed?: readonly string[];
  readonly pattern?: RegExp;
  readonly default?: string | boolean;
}

const DNS_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

const TOP: Record<string, Field> = {
  instance: { kind: 'text', pattern: DNS_NAME },
  namespace: { kind: 'text', optional: true, pattern: DNS_NAME },
  logLevel: { kind: 'text', allowed: LOG_LEVELS, default: 'info' },
  orphans: { kind: 'text', allowed: Object.values(ConfigOrphans), default: ConfigOrphans.KEEP },
  definitions: { kind: 'boolean', default: false },
};

const CLUSTER: Record<string, Field> = {
  name: { kind: 'text', pattern: DNS_NAME },
  url: { kind: 'text', pattern: /^https?:\/\/[^/?#]+$/ },
  secret: { kind: 'text', optional: true, pattern: DNS_NAME },
  usernameKey: { kind: 'text', default: 'username' },
  passwordKey: { kind: 'text', default: 'password' },
  caFile: { kind: 'text', optional: true },
  serverName: { kind: 'text', optional: true },
  operator: { kind: 'boolean', default: false },
  perPod: { kind: 'text', optional: true, pattern: DNS_NAME },
  direction: { kind: 'text', allowed: Object.values(ConfigDirection) },
  removal: { kind: 'text', allowed: Object.values(ConfigRemoval), default: ConfigRemoval.KEEP },
  paused: { kind: 'boolean', default: false },
};

/** Reads the configuration file; an error says what is wrong where. */
export function parseConfiguration(text: string): Configuration {
  let json: any;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`the configuration is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(json)) throw new Error('the configuration must be an object');
  const { clusters, ...rest } = json;
  if (!Array.isArray(clusters)) throw new Error('clusters must be a list');
  const result = { ...readFields(rest, TOP, ''), clusters: clusters.map(readCluster) } as unknown as Configuration;
  const names = result.clusters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`clusters has ${twice} twice`);
  return result;
}

function readCluster(json: unknown, index: number): ClusterConfiguration {
  const where = `clusters[${index}].`;
  if (!isObject(json)) throw new Error(`clusters[${index}] must be an object`);
  const cluster = readFields(json, CLUSTER, where) as unknown as ClusterConfiguration;
  if (cluster.operator && cluster.direction === ConfigDirection.BOTH) {
    throw new Error(`${where}direction must be ${ConfigDirection.SERVER_TO_RESOURCES} with an operator, which applies the resources itself`);
  }
  return cluster;
}

function readFields(json: Record<string, unknown>, fields: Record<string, Field>, where: string): Record<string, unknown> {
  const unknown = Object.keys(json).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new Error(`${where}${unknown} is not known; there are ${Object.keys(fields).join(', ')}`);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, readField(json[name], field, `${where}${name}`)]));
}

function readField(value: unknown, { kind, optional, allowed, pattern, default: fallback }: Field, what: string): unknown {
  if (value === undefined) {
    if (!optional && fallback === undefined) throw new Error(`${what} is missing`);
    return fallback;
  }
  const fits = kind === 'boolean' ? typeof value === 'boolean'
    : typeof value === 'string' && value !== '' && (!allowed || allowed.includes(value)) && (!pattern || pattern.test(value));
  if (!fits) throw new Error(`${what} must be ${kind === 'boolean' ? 'true or false' : allowed?.join(' or ') ?? (pattern ? `text like ${pattern.source}` : 'text')}, given ${JSON.stringify(value)}`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
