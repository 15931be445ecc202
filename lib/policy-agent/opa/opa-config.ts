import { Duration } from 'cdk8s';
import { bindRemote } from './bind-remote';
import { Claim } from './claims';
import { OpaDownload, OpaSigning } from './opa-bundle';
import { OpaEngineProps } from './opa-engine-props';
import { OpaDecisionLogs } from './opa-logs';
import { OpaRemote } from './opa-remote';
import { checkRoot } from './roots';
import { isObject, Json, mergePatch } from '../../private/merge';

/** Where downloads are kept, if any are. */
const PERSISTENCE_DIRECTORY = '/persistence';

/** OPA's configuration file, and what it needs in the pod. */
export interface OpaConfig {
  readonly json: Json;
  readonly env: any[];
  readonly volumes: any[];
  readonly volumeMounts: any[];
  /** What the downloads own. */
  readonly claims: Claim[];
  /** Whether OPA waits for a download before it is ready. */
  readonly downloads: boolean;
}

/** Renders OPA's configuration. @see https://www.openpolicyagent.org/docs/configuration */
export function renderConfig(props: OpaEngineProps, labels: Record<string, string>): OpaConfig {
  const services: Json = {};
  const keys: Json = {};
  const env: any[] = [];
  const volumes: any[] = [];
  const volumeMounts: any[] = [];
  const claims: Claim[] = [];

  const addRemote = (name: string, remote: OpaRemote): string => {
    const bound = bindRemote(name, remote);
    services[name] = bound.service;
    if (bound.volume) {
      volumes.push(bound.volume);
      volumeMounts.push(bound.volumeMount);
    }
    return bound.resource;
  };

  const addDownload = (name: string, where: string, download: OpaDownload): Json => {
    claims.push(...claimsOf(where, download.roots));
    const resource = addRemote(name, download);
    const polling = delays('polling', [download.pollingMin, download.pollingMax], [60, 120]);
    if (!resource) throw new Error(`url of ${where} needs the path of the bundle, given ${JSON.stringify(download.url)}`);
    if (download.signing) addKey(name, where, download.signing);
    return {
      service: name,
      resource,
      ...(download.persist && { persist: true }),
      ...(isFilled(polling) && { polling }),
      ...(download.signing && { signing: { keyid: download.signing.keyId, ...(download.signing.scope && { scope: download.signing.scope }) } }),
    };
  };

  const addKey = (name: string, where: string, signing: OpaSigning) => {
    if ((signing.publicKey === undefined) === (signing.secretKey === undefined)) {
      throw new Error(`signing of ${where} needs exactly one of publicKey and secretKey`);
    }
    const algorithm = signing.algorithm ?? (signing.publicKey ? 'RS256' : 'HS256');
    if (signing.publicKey !== undefined && algorithm.startsWith('HS')) {
      throw new Error(`the key of ${algorithm} in the signing of ${where} is a secret: give it as secretKey, from a Secret`);
    }
    const variable = `OPA_KEY_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    if (signing.secretKey) env.push({ name: variable, ...wireValue(signing.secretKey, `secretKey of ${where}`) });
    const key = { key: signing.publicKey ?? `\${${variable}}`, algorithm };
    if (keys[signing.keyId] && JSON.stringify(keys[signing.keyId]) !== JSON.stringify(key)) {
      throw new Error(`signing key ${signing.keyId} is given twice, with different values`);
    }
    keys[signing.keyId] = key;
  };

  const bundles: Json = {};
  for (const [name, bundle] of Object.entries(props.bundles ?? {})) {
    checkRemoteName(name);
    bundles[name] = {
      ...addDownload(name, `bundle ${name}`, bundle),
      ...(bundle.sizeLimitBytes !== undefined && { size_limit_bytes: bundle.sizeLimitBytes }),
    };
  }

  const generated: Json = { labels: { ...labels, ...props.labels }, services, status: { prometheus: true } };
  if (isFilled(bundles)) generated.bundles = bundles;
  if (props.discovery) {
    generated.discovery = {
      ...addDownload('discovery', 'discovery', props.discovery),
      ...(props.discovery.decision && { decision: props.discovery.decision }),
    };
  }
  if (props.status?.console) generated.status.console = true;
  if (props.status?.remote) {
    addRemote('status', props.status.remote);
    services.status.url = props.status.remote.url.replace(/\/+$/, '');
    generated.status.service = 'status';
  }
  if (props.decisionLogs) generated.decision_logs = decisionLogs(props.decisionLogs, addRemote);
  if (isFilled(keys)) generated.keys = keys;

  claims.push(...rawClaims(props));
  const json = mergePatch(generated, props.config ?? {});
  if (persists(json)) {
    json.persistence_directory ??= PERSISTENCE_DIRECTORY;
    volumes.push({ name: 'persistence', emptyDir: {} });
    volumeMounts.push({ name: 'persistence', mountPath: json.persistence_directory });
  }
  return { json, env, volumes, volumeMounts, claims, downloads: [json.bundles, json.bundle, json.discovery].some(isFilled) };
}

function decisionLogs(logs: OpaDecisionLogs, addRemote: (name: string, remote: OpaRemote) => string): Json {
  if (!logs.console && !logs.remote) throw new Error('decisionLogs need console or remote, given neither');
  const reporting = {
    ...delays('upload', [logs.uploadMin, logs.uploadMax], [300, 600]),
    ...(logs.maxDecisionsPerSecond !== undefined && { max_decisions_per_second: logs.maxDecisionsPerSecond }),
  };
  return {
    console: logs.console ?? false,
    ...(logs.remote && { service: 'decision-logs', resource: `/${addRemote('decision-logs', logs.remote)}` }),
    ...(isFilled(reporting) && { reporting }),
    ...(logs.maskDecision && { mask_decision: logs.maskDecision }),
  };
}

function checkRemoteName(name: string) {
  if (!/^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(name) || ['discovery', 'status', 'decision-logs'].includes(name)) {
    throw new Error(
      'names of bundles must be at most 42 lower-case letters, digits and dashes, and none of discovery, status and ' +
      `decision-logs, given ${JSON.stringify(name)}`,
    );
  }
}

function claimsOf(what: string, roots: string[] | undefined): Claim[] {
  if (!roots || roots.length === 0) {
    throw new Error(`roots of ${what} must be stated as its manifest states them, [''] when it states none`);
  }
  return roots.map((root) => ({ what, root: checkRoot(root, what), known: true }));
}

/** Bundles in the raw configuration must have their roots stated, too. */
function rawClaims({ config, configRoots }: OpaEngineProps): Claim[] {
  const downloads = ['bundles', 'bundle', 'discovery'].filter((key) => isFilled(config?.[key]));
  if (downloads.length === 0) {
    if (configRoots) throw new Error('configRoots are given, but config names no bundles and no discovery');
    return [];
  }
  if (!configRoots) {
    throw new Error(`config names ${downloads.join(' and ')}, so configRoots must state the roots of these bundles, [''] when they state none`);
  }
  return claimsOf('configRoots', configRoots);
}

function isFilled(value: any): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function persists(json: Json): boolean {
  return [...Object.values(json.bundles ?? {}), json.discovery].some((download: any) => download?.persist);
}

/** The shortest and longest delay between two downloads or uploads. OPA takes both or neither, so the other one is filled in. */
function delays(name: string, [min, max]: (Duration | undefined)[], [defaultMin, defaultMax]: [number, number]): Json {
  if (!min && !max) return {};
  const least = min?.toSeconds() ?? Math.min(defaultMin, max!.toSeconds());
  const most = max?.toSeconds() ?? Math.max(defaultMax, least);
  if (least > most) throw new Error(`${name}Min must not be above ${name}Max, given ${least} and ${most} seconds`);
  return { min_delay_seconds: least, max_delay_seconds: most };
}

/** The wire form of a value for an environment variable that must not be a literal. */
export function wireValue(value: { readonly value?: any; readonly valueFrom?: any }, what: string): Json {
  if (value.valueFrom === undefined) throw new Error(`${what} must come from a Secret, not from a literal`);
  return { valueFrom: value.valueFrom };
}
