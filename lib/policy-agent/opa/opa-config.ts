import { bindRemote } from './bind-remote';
import { Claim } from './claims';
import { delays } from './delays';
import { OpaBundle, OpaDownload, OpaSigning } from './opa-bundle';
import { OpaEngineProps } from './opa-engine-props';
import { OpaDecisionLogs } from './opa-logs';
import { OpaRemote } from './opa-remote';
import { checkRoot } from './roots';
import { isObject, Json, mergePatch } from '../../private/merge';

/** Where downloads are kept, if any are. */
const PERSISTENCE_DIRECTORY = '/persistence';

/** Names of remotes that are no bundles. */
const RESERVED = ['discovery', 'status', 'decision-logs'];

/** OPA's configuration file, and what it needs in the pod. */
export class OpaConfig {
  public readonly json: Json;
  public readonly env: any[] = [];
  public readonly volumes: any[] = [];
  public readonly volumeMounts: any[] = [];
  /** What the downloads own. */
  public readonly claims: Claim[] = [];

  private readonly services: Json = {};
  private readonly keys: Json = {};

  /** Renders the file. @see https://www.openpolicyagent.org/docs/configuration */
  public constructor(props: OpaEngineProps, labels: Record<string, string>) {
    const generated: Json = {
      labels: { ...labels, ...props.labels },
      services: this.services,
      keys: this.keys,
      bundles: this.bundles(props.bundles ?? {}),
      discovery: props.discovery && this.download('discovery', 'discovery', props.discovery, { decision: props.discovery.decision }),
      status: this.status(props),
      decision_logs: props.decisionLogs && this.decisionLogs(props.decisionLogs),
    };
    this.claims.push(...rawClaims(props));
    this.json = mergePatch(withoutEmpty(generated), props.config ?? {});
    this.keepDownloads();
  }

  /** Whether OPA waits for a download before it is ready. */
  public get downloads(): boolean {
    return [this.json.bundles, this.json.bundle, this.json.discovery].some(isFilled);
  }

  private bundles(bundles: Record<string, OpaBundle>): Json {
    return Object.fromEntries(Object.entries(bundles).map(([name, bundle]) => {
      if (!/^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(name) || RESERVED.includes(name)) {
        throw new Error(
          `names of bundles must be at most 42 lower-case letters, digits and dashes, and none of ${RESERVED.join(', ')}, given ${JSON.stringify(name)}`,
        );
      }
      return [name, this.download(name, `bundle ${name}`, bundle, { size_limit_bytes: bundle.sizeLimitBytes })];
    }));
  }

  private download(name: string, where: string, download: OpaDownload, more: Json): Json {
    this.claims.push(...claimsOf(where, download.roots));
    const resource = this.remote(name, download);
    if (!resource) throw new Error(`url of ${where} needs the path of the bundle, which it has not`);
    if (download.signing) this.key(name, where, download.signing);
    return withoutEmpty({
      service: name,
      resource,
      persist: download.persist || undefined,
      polling: delays('polling', [download.pollingMin, download.pollingMax], [60, 120]),
      signing: download.signing && withoutEmpty({ keyid: download.signing.keyId, scope: download.signing.scope }),
      ...more,
    });
  }

  /** Adds a service; returns the path and query of its URL. */
  private remote(name: string, remote: OpaRemote): string {
    const bound = bindRemote(name, remote);
    this.services[name] = bound.service;
    if (bound.volume) {
      this.volumes.push(bound.volume);
      this.volumeMounts.push(bound.volumeMount);
    }
    return bound.resource;
  }

  private key(name: string, where: string, { keyId, publicKey, secretKey, algorithm = publicKey ? 'RS256' : 'HS256' }: OpaSigning) {
    if ((publicKey === undefined) === (secretKey === undefined)) throw new Error(`signing of ${where} needs exactly one of publicKey and secretKey`);
    if (publicKey !== undefined && algorithm.startsWith('HS')) {
      throw new Error(`the key of ${algorithm} in the signing of ${where} is a secret: give it as secretKey, from a Secret`);
    }
    const variable = `OPA_KEY_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    if (secretKey) {
      if (!secretKey.valueFrom?.secretKeyRef) throw new Error(`secretKey of ${where} must come from a Secret`);
      this.env.push({ name: variable, valueFrom: secretKey.valueFrom });
    }
    const key = { key: publicKey ?? `\${${variable}}`, algorithm };
    if (this.keys[keyId] && JSON.stringify(this.keys[keyId]) !== JSON.stringify(key)) {
      throw new Error(`signing key ${keyId} is given twice, with different values`);
    }
    this.keys[keyId] = key;
  }

  private status({ status }: OpaEngineProps): Json {
    if (status?.remote) {
      this.remote('status', status.remote);
      // OPA appends `/status` to the whole address of the service.
      this.services.status.url = status.remote.url.replace(/\/+$/, '');
    }
    return withoutEmpty({ prometheus: true, console: status?.console || undefined, service: status?.remote && 'status' });
  }

  private decisionLogs(logs: OpaDecisionLogs): Json {
    if (!logs.console && !logs.remote) throw new Error('decisionLogs need console or remote, given neither');
    return withoutEmpty({
      console: logs.console ?? false,
      service: logs.remote && 'decision-logs',
      resource: logs.remote && `/${this.remote('decision-logs', logs.remote)}`,
      reporting: withoutEmpty({
        ...delays('upload', [logs.uploadMin, logs.uploadMax], [300, 600]),
        max_decisions_per_second: logs.maxDecisionsPerSecond,
      }),
      mask_decision: logs.maskDecision,
    });
  }

  /** The root file system is read-only. A discovered configuration may ask for kept downloads, too. */
  private keepDownloads() {
    const downloads: any[] = [...Object.values(this.json.bundles ?? {}), this.json.discovery];
    if (!this.json.discovery && !downloads.some((download) => download?.persist)) return;
    this.json.persistence_directory ??= PERSISTENCE_DIRECTORY;
    this.volumes.push({ name: 'persistence', emptyDir: {} });
    this.volumeMounts.push({ name: 'persistence', mountPath: this.json.persistence_directory });
  }
}

function claimsOf(what: string, roots: string[] | undefined): Claim[] {
  if (!roots || roots.length === 0) {
    throw new Error(`roots of ${what} must be stated as its manifest states them, [''] when it states none`);
  }
  return roots.map((root) => ({ what, root: checkRoot(root, what), known: true }));
}

/** Bundles that only the raw configuration names must have their roots stated, too. */
function rawClaims({ bundles = {}, discovery, config, configRoots }: OpaEngineProps): Claim[] {
  const named = [
    ...Object.keys(config?.bundles ?? {}).filter((name) => !Object.hasOwn(bundles, name)).map((name) => `bundle ${name}`),
    ...(isFilled(config?.bundle) ? ['bundle'] : []),
    ...(isFilled(config?.discovery) && !discovery ? ['discovery'] : []),
  ];
  if (named.length === 0) {
    if (configRoots) throw new Error('configRoots are given, but config names no bundles or discovery of its own');
    return [];
  }
  if (!configRoots) {
    throw new Error(`config names ${named.join(' and ')}, so configRoots must state the roots of these bundles, [''] when they state none`);
  }
  return claimsOf('configRoots', configRoots);
}

function isFilled(value: any): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

/** Without keys that stand for nothing. */
function withoutEmpty(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined && (!isObject(item) || isFilled(item))));
}
