import type { EnvValue } from 'cdk8s-plus-28';
import { AUTHORIZATION_ROOT, authorizationPolicy, checkDecision, OpaAuthorization, TOKEN_VARIABLE } from './opa-authorization';
import { OpaBundle, OpaDiscovery } from './opa-bundle';
import { OpaConfig, renderConfig } from './opa-config';
import { OpaDecisionLogs, OpaStatus } from './opa-logs';
import { dataRoots, EVERYTHING, overlap, packageRoot, Root } from './roots';
import { engineVariables, isReserved, nodeVariables } from '../../private/environment';
import { refuseSecretLiterals } from '../../private/secrets';
import { ClientCertificates } from '../agent-tls';
import { bindPolicyFiles } from '../bind-policy-files';
import { DeploymentMode } from '../deployment-mode';
import { IPolicyEngine, PolicyEngineBinding, PolicyEngineContext } from '../engine';
import { PolicyFiles } from '../policy-files';
import { SecretKey } from '../secret-key';

/** How much OPA logs. */
export enum OpaLogLevel {
  /** Everything, bodies of requests included. */
  DEBUG = 'debug',

  /** Each request, and what the plugins do. */
  INFO = 'info',

  /** Errors only. */
  ERROR = 'error',
}

/** Properties for `OpaEngine`. At least one of `bundles`, `discovery`, `policies` and `config` must bring policies. */
export interface OpaEngineProps {
  /**
   * Reference of the image, by tag or digest.
   *
   * @default 'openpolicyagent/opa:1.22.4-static'
   */
  readonly image?: string;

  /**
   * Path of the program in the image.
   *
   * @default '/opa'
   */
  readonly binaryPath?: string;

  /**
   * Bundles that each agent downloads, by name.
   *
   * @default - none
   */
  readonly bundles?: Record<string, OpaBundle>;

  /**
   * A bundle that configures OPA.
   *
   * @default - none
   */
  readonly discovery?: OpaDiscovery;

  /**
   * Rego and data from the file system. Beside bundles only where both are known to stand apart, since a bundle erases
   * what stands at its roots when it is activated.
   *
   * @default - none
   */
  readonly policies?: PolicyFiles[];

  /**
   * Paths of the rules that clients may query, such as `authz/allow` for `POST /v1/data/authz/allow`.
   *
   * @default - none; required with `OpaAuthorization.DECISIONS`
   */
  readonly decisions?: string[];

  /**
   * What decides which requests OPA's own API answers.
   *
   * @default - DECISIONS; OFF where a bundle owns everything (`roots: ['']`), since it would erase the generated policy
   */
  readonly authorization?: OpaAuthorization;

  /**
   * Token that clients must send (`Authorization: Bearer …`) to get a decision.
   *
   * @default - no token is asked for
   */
  readonly clientTokenSecret?: SecretKey;

  /**
   * Where decisions are logged.
   *
   * @default - nowhere
   */
  readonly decisionLogs?: OpaDecisionLogs;

  /**
   * Where the state of bundles is reported besides the metrics.
   *
   * @default - nowhere
   */
  readonly status?: OpaStatus;

  /**
   * Labels in decision logs and status, besides `instance`, `node` and `pod`.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * JSON merge patch over the generated configuration. `${VARIABLE}` is replaced by OPA.
   *
   * @default - none
   * @see https://www.openpolicyagent.org/docs/configuration
   */
  readonly config?: any;

  /**
   * Roots of the bundles that `config` names. Required when it names any.
   *
   * @default - none
   */
  readonly configRoots?: string[];

  /**
   * Variables of the container.
   *
   * @default - NODE_NAME, POD_NAME and POD_NAMESPACE
   */
  readonly environment?: Record<string, EnvValue>;

  /**
   * How much OPA logs.
   *
   * @default OpaLogLevel.INFO
   */
  readonly logLevel?: OpaLogLevel;

  /**
   * Further arguments of `opa run`, for what no prop covers.
   *
   * @default - none
   */
  readonly extraArgs?: string[];

  /**
   * Port of the API.
   *
   * @default 8181
   */
  readonly port?: number;

  /**
   * Port of health and metrics.
   *
   * @default 8282
   */
  readonly diagnosticPort?: number;

  /**
   * SecretClass of the server's certificate, for Stackable products that find the agent by its discovery ConfigMap.
   *
   * @default - none
   * @see https://docs.stackable.tech/home/stable/opa/reference/discovery/
   */
  readonly secretClass?: string;
}

const CONFIG_DIRECTORY = '/config';
const CONFIG_FILE = 'opa.json';
const AUTHORIZATION_FILE = 'authorization.rego';
const SHUTDOWN_GRACE_SECONDS = 10;

/** Flags that follow from the agent's props, or would open what they close. */
const OWNED_FLAGS = /^--?(a|addr|diagnostic-addr|c|config-file|s|server|authentication|authorization|b|bundle|set|set-file|tls-.*|unix-socket-perm|shutdown-.*|ignore|pprof|watch.*|w)(=|$)/;

/** The Open Policy Agent. @see https://www.openpolicyagent.org/docs */
export class OpaEngine implements IPolicyEngine {
  public readonly engineName = 'opa';
  public readonly defaultDeploymentMode = DeploymentMode.DAEMON_SET;

  public constructor(private readonly props: OpaEngineProps) {
    const owned = props.extraArgs?.find((arg) => OWNED_FLAGS.test(arg));
    if (owned) throw new Error(`extraArgs must not contain ${owned}: it follows from other props of the agent or the engine`);
    props.decisions?.forEach(checkDecision);
    refuseSecretLiterals(props.config, 'config');
    if (props.config?.default_authorization_decision !== undefined) {
      throw new Error('config must not set default_authorization_decision: use OpaAuthorization.OWN_POLICY with a package system.authz');
    }
    const reserved = Object.keys(props.environment ?? {}).find((name) => isReserved(name) || name === TOKEN_VARIABLE);
    if (reserved) throw new Error(`environment must not contain ${reserved}: the agent sets it`);
  }

  public bind(context: PolicyEngineContext): PolicyEngineBinding {
    const { props } = this;
    const config = renderConfig({
      bundles: props.bundles ?? {},
      discovery: props.discovery,
      decisionLogs: props.decisionLogs,
      status: props.status,
      labels: { instance: context.instanceName, node: '${NODE_NAME}', pod: '${POD_NAME}', ...props.labels },
      config: props.config,
      configRoots: props.configRoots,
    });
    const policies = bindPolicyFiles(props.policies ?? [], isTest, context);
    if (!config.downloads && policies.directories.length === 0) {
      throw new Error('OPA has no policies: give at least one of bundles, discovery, policies, or bundles in config');
    }
    this.checkPoliciesBesideDownloads(config);
    const authorization = this.authorization(config);
    this.checkClients(context, authorization);

    const port = props.port ?? 8181;
    const diagnosticPort = props.diagnosticPort ?? 8282;
    if (port === diagnosticPort) throw new Error(`port and diagnosticPort must differ, given ${port} for both`);
    const configName = `${context.instanceName}-config`;
    const tls = context.tlsDirectory !== undefined;
    const socket = context.socketDirectory && `${context.socketDirectory}/${SOCKET_FILE}`;
    const probes = this.probes(authorization, config.downloads, socket);

    return {
      containers: [{
        name: 'opa',
        image: props.image ?? 'openpolicyagent/opa:1.22.4-static',
        command: [this.binaryPath],
        args: this.args(context, authorization, { port, diagnosticPort, socket, policyDirectories: policies.directories }),
        env: [
          ...nodeVariables(),
          ...config.env,
          ...(props.clientTokenSecret ? [{
            name: TOKEN_VARIABLE,
            valueFrom: { secretKeyRef: { name: props.clientTokenSecret.secretName, key: props.clientTokenSecret.key } },
          }] : []),
          ...engineVariables(props.environment),
        ],
        volumeMounts: [
          { name: 'config', mountPath: CONFIG_DIRECTORY, readOnly: true },
          ...policies.volumeMounts,
          ...config.volumeMounts,
        ],
      }],
      volumes: [{ name: 'config', configMap: { name: configName } }, ...policies.volumes, ...config.volumes],
      configMaps: [
        {
          suffix: 'config',
          data: {
            [CONFIG_FILE]: `${JSON.stringify(config.json, undefined, 2)}\n`,
            ...(authorization === OpaAuthorization.DECISIONS && {
              [AUTHORIZATION_FILE]: authorizationPolicy(props.decisions!, props.clientTokenSecret !== undefined),
            }),
          },
        },
        ...policies.configMaps,
      ],
      checksums: policies.checksums,
      ports: [
        ...(context.listensOnNetwork ? [{ name: 'http', port, appProtocol: tls ? 'https' : 'http' }] : []),
        { name: 'diagnostics', port: diagnosticPort, api: false },
      ],
      ...probes,
      shutdownGraceSeconds: SHUTDOWN_GRACE_SECONDS,
      user: 1000,
      socketFile: SOCKET_FILE,
      discovery: context.serviceHost === undefined ? undefined : {
        OPA: `${tls ? 'https' : 'http'}://${context.serviceHost}:${port}/`,
        ...(tls && props.secretClass && { OPA_SECRET_CLASS: props.secretClass }),
      },
      metricsPort: 'diagnostics',
      goMemoryLimitPercent: 85,
      resources: { cpuRequest: '100m', memoryRequest: '128Mi', memoryLimit: '512Mi' },
      warnings: [...policies.warnings, ...this.openApiWarnings(authorization)],
    };
  }

  private get binaryPath(): string {
    return this.props.binaryPath ?? '/opa';
  }

  private args(context: PolicyEngineContext, authorization: OpaAuthorization, listen: Listen): string[] {
    const { props } = this;
    const mutual = context.clientCertificates === ClientCertificates.REQUIRED;
    return [
      'run',
      '--server',
      ...(context.listensOnNetwork ? [`--addr=:${listen.port}`] : []),
      ...(listen.socket ? [`--addr=unix://${listen.socket}`, `--unix-socket-perm=${context.socketMode}`] : []),
      // With TLS an address without a scheme would speak TLS, too.
      `--diagnostic-addr=http://:${listen.diagnosticPort}`,
      `--config-file=${CONFIG_DIRECTORY}/${CONFIG_FILE}`,
      ...(context.tlsDirectory ? [
        `--tls-cert-file=${context.tlsDirectory}/tls.crt`,
        `--tls-private-key-file=${context.tlsDirectory}/tls.key`,
        // OPA's own watch does not notice how the kubelet swaps the files of a volume.
        '--tls-cert-refresh-period=10s',
      ] : []),
      ...(mutual ? [`--tls-ca-cert-file=${context.clientCaFile}`, '--authentication=tls'] : []),
      ...(props.clientTokenSecret ? ['--authentication=token'] : []),
      ...(authorization === OpaAuthorization.OFF ? [] : ['--authorization=basic']),
      `--shutdown-wait-period=${context.shutdownWaitSeconds}`,
      `--shutdown-grace-period=${SHUTDOWN_GRACE_SECONDS}`,
      '--skip-version-check',
      '--log-format=json',
      `--log-level=${props.logLevel ?? OpaLogLevel.INFO}`,
      // ConfigMap volumes hold their files twice, the second time in hidden folders.
      '--ignore=.*',
      ...(props.extraArgs ?? []),
      ...listen.policyDirectories,
      ...(authorization === OpaAuthorization.DECISIONS ? [`${CONFIG_DIRECTORY}/${AUTHORIZATION_FILE}`] : []),
    ];
  }

  /**
   * Startup and liveness never depend on a bundle: a bundle server that is down would restart the whole fleet. A policy
   * of the user's own may come with a bundle, and until then OPA refuses even to tell its health.
   */
  private probes(authorization: OpaAuthorization, downloads: boolean, socket?: string) {
    const own = authorization === OpaAuthorization.OWN_POLICY;
    const ready = downloads ? '/health?bundles' : '/health';
    const up = own ? { tcpSocket: { port: 'diagnostics' } } : { httpGet: { path: '/health', port: 'diagnostics' } };
    return {
      startupProbe: { ...up, timeoutSeconds: 3, periodSeconds: 2, failureThreshold: 60 },
      livenessProbe: socket
        ? { exec: { command: this.socketProbe(socket, '/health', own ? 'r.status_code > 0' : 'r.status_code == 200') }, timeoutSeconds: 5, periodSeconds: 10 }
        : { ...up, timeoutSeconds: 3, periodSeconds: 10 },
      readinessProbe: socket
        ? { exec: { command: this.socketProbe(socket, ready, 'r.status_code == 200') }, timeoutSeconds: 5, periodSeconds: 5 }
        : { httpGet: { path: ready, port: 'diagnostics' }, timeoutSeconds: 3, periodSeconds: 5 },
    };
  }

  /** OPA's image has no shell and no HTTP client but OPA itself. */
  private socketProbe(socket: string, path: string, condition: string): string[] {
    const [pathname, query] = path.split('?');
    const url = `unix://localhost${pathname}?${query ? `${query}&` : ''}socket=${encodeURIComponent(socket)}`;
    const send = `http.send({"method": "GET", "url": ${JSON.stringify(url)}, "raise_error": false, "timeout": "4s"})`;
    return [this.binaryPath, 'eval', '--fail', '--format=discard', `r := ${send}; ${condition}`];
  }

  /** Which authorization holds: the generated policy is a file, and a bundle erases files at its roots. */
  private authorization(config: OpaConfig): OpaAuthorization {
    const { authorization, decisions } = this.props;
    const erasing = config.roots.find(({ root }) => overlap(root, AUTHORIZATION_ROOT));
    const ownsEverything = config.roots.some(({ root }) => root === EVERYTHING);
    const chosen = authorization ?? (ownsEverything ? OpaAuthorization.OFF : OpaAuthorization.DECISIONS);
    if (chosen !== OpaAuthorization.DECISIONS) {
      if (decisions) {
        throw new Error(
          `decisions are enforced by OpaAuthorization.DECISIONS only, given ${authorization ?? "roots ['']"}` +
          (authorization ? '' : ': such a bundle would erase the policy that enforces them; state narrower roots, or leave decisions out'),
        );
      }
      return chosen;
    }
    if (erasing) {
      throw new Error(
        `OpaAuthorization.DECISIONS cannot hold beside roots '${erasing.root}' of ${erasing.where}: the bundle would erase the generated policy ` +
        `at ${AUTHORIZATION_ROOT}; state narrower roots, or put system.authz into the bundle and use OpaAuthorization.OWN_POLICY`,
      );
    }
    const own = this.fileRoots().find(({ root, known }) => known && overlap(root, AUTHORIZATION_ROOT));
    if (own) throw new Error(`${own.what} is an authorization policy of your own: choose OpaAuthorization.OWN_POLICY, and leave decisions out`);
    if (!decisions || decisions.length === 0) {
      throw new Error("decisions must name the rules that clients may query, such as ['authz/allow'] (or choose another authorization)");
    }
    return chosen;
  }

  private checkClients(context: PolicyEngineContext, authorization: OpaAuthorization) {
    if (context.clientCertificates === ClientCertificates.VERIFY_IF_GIVEN) {
      throw new Error('OPA either requires client certificates or does not ask for them: clientCertificates must be REQUIRED or NONE');
    }
    if (this.props.clientTokenSecret) {
      if (context.clientCertificates === ClientCertificates.REQUIRED) {
        throw new Error('OPA knows one way of authentication at a time: give clientTokenSecret or required client certificates, not both');
      }
      if (authorization === OpaAuthorization.OFF) {
        throw new Error('clientTokenSecret has no effect with OpaAuthorization.OFF (the default beside roots [\'\']): tokens are checked by authorization');
      }
    }
  }

  /** Files and bundles must stand apart: what a bundle owns, it erases when it is activated. */
  private checkPoliciesBesideDownloads(config: OpaConfig) {
    const claims = config.roots.map(({ where, root }) => ({ what: where, root, known: true }));
    this.refuseOverlap([...claims, ...this.fileRoots()], claims);
  }

  private refuseOverlap(some: Claim[], others: Claim[]) {
    for (const a of some) {
      for (const b of others) {
        if (a.what !== b.what && overlap(a.root, b.root)) {
          throw new Error(
            `${a.what} ('${a.root}') and ${b.what} ('${b.root}') own the same part of OPA's data tree: their roots must be stated and disjoint`,
          );
        }
      }
    }
  }

  private fileRoots(): Claim[] {
    return (this.props.policies ?? []).flatMap(({ _source: source }): Claim[] => {
      if (!source.files) {
        return [{ what: `the policy files of ${source.configMap ?? source.image}, whose roots are not known,`, root: EVERYTHING, known: false }];
      }
      return Object.entries(source.files).filter(([file]) => !isTest(file)).flatMap(([file, content]) => {
        const roots = file.endsWith('.rego') ? [packageRoot(file, content)] : dataRoots(file, content);
        return roots.map((root) => ({ what: `policy file ${file}`, root, known: true }));
      });
    });
  }

  private openApiWarnings(authorization: OpaAuthorization): string[] {
    if (authorization !== OpaAuthorization.OFF || this.props.authorization === OpaAuthorization.OFF) return [];
    return [
      "a bundle with roots [''] leaves OPA's API readable (data, policies, configuration), and writable until it is first activated and wherever " +
      'it owns less than everything: state narrower roots, or put system.authz into the bundle and use OpaAuthorization.OWN_POLICY',
    ];
  }
}

const SOCKET_FILE = 'opa.sock';

interface Listen {
  readonly port: number;
  readonly diagnosticPort: number;
  readonly socket?: string;
  readonly policyDirectories: string[];
}

/** A part of the data tree, and what stands there. */
interface Claim {
  readonly what: string;
  readonly root: Root;
  readonly known: boolean;
}

function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}
