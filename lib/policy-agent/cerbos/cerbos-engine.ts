import { Duration } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import { CerbosAudit } from './cerbos-audit';
import { CerbosStorage } from './cerbos-storage';
import { AUDIT_DIRECTORY, CONFIG_DIRECTORY } from './directories';
import { StorageBinding } from './storage-binding';
import { engineVariables, isReserved, nodeVariables } from '../../private/environment';
import { isObject, Json, mergePatch } from '../../private/merge';
import { refuseSecretLiterals } from '../../private/secrets';
import { ClientCertificates } from '../agent-tls';
import { DeploymentMode } from '../deployment-mode';
import { IPolicyEngine, PolicyEngineBinding, PolicyEngineContext } from '../engine';
import { SecretKey } from '../secret-key';

/** How much Cerbos logs. */
export enum CerbosLogLevel {
  /** Everything. */
  DEBUG = 'debug',

  /** Each request, and what the server does. */
  INFO = 'info',

  /** What may go wrong. */
  WARN = 'warn',

  /** What went wrong. */
  ERROR = 'error',
}

/** What happens to requests that do not fit the schemas. */
export enum CerbosSchemaEnforcement {
  /** Schemas are not looked at. */
  NONE = 'none',

  /** The answer names the errors. */
  WARN = 'warn',

  /** Every action is denied. */
  REJECT = 'reject',
}

/**
 * The API that lists and changes policies. Open to everyone who can reach the port and knows the password.
 *
 * @see https://docs.cerbos.dev/cerbos/latest/api/admin_api
 */
export interface CerbosAdminApi {
  /** User name. */
  readonly username: string;

  /** The password's bcrypt hash, in base64. */
  readonly passwordHashSecret: SecretKey;
}

/** Properties for `CerbosEngine`. */
export interface CerbosEngineProps {
  /** Where Cerbos takes its policies from. */
  readonly storage: CerbosStorage;

  /**
   * Reference of the image, by tag or digest.
   *
   * @default 'ghcr.io/cerbos/cerbos:0.55.0'
   */
  readonly image?: string;

  /**
   * Path of the program in the image.
   *
   * @default '/cerbos'
   */
  readonly binaryPath?: string;

  /**
   * Where requests and decisions are logged.
   *
   * @default - nowhere
   */
  readonly audit?: CerbosAudit;

  /**
   * What happens to requests that do not fit the schemas.
   *
   * @default CerbosSchemaEnforcement.NONE
   */
  readonly schemaEnforcement?: CerbosSchemaEnforcement;

  /**
   * The API that lists and changes policies.
   *
   * @default - closed
   */
  readonly adminApi?: CerbosAdminApi;

  /**
   * Let Cerbos send anonymous figures on its use to its makers.
   *
   * @default false
   */
  readonly telemetry?: boolean;

  /**
   * How long a gRPC connection may last. Clients connect anew then, and so reach replicas that came later.
   *
   * @default - Cerbos' (10 minutes)
   */
  readonly maxConnectionAge?: Duration;

  /**
   * JSON merge patch over the generated configuration. `${VARIABLE}` is replaced by Cerbos; a literal `$` is written
   * `$$`. Addresses, TLS, the admin API and telemetry have props of their own.
   *
   * @default - none
   * @see https://docs.cerbos.dev/cerbos/latest/configuration
   */
  readonly config?: any;

  /**
   * Variables of the container.
   *
   * @default - NODE_NAME, POD_NAME and POD_NAMESPACE
   */
  readonly environment?: Record<string, EnvValue>;

  /**
   * How much Cerbos logs.
   *
   * @default CerbosLogLevel.INFO
   */
  readonly logLevel?: CerbosLogLevel;

  /**
   * Port of the HTTP API, health and metrics.
   *
   * @default 3592
   */
  readonly httpPort?: number;

  /**
   * Port of the gRPC API.
   *
   * @default 3593
   */
  readonly grpcPort?: number;
}

const CONFIG_FILE = '.cerbos.yaml';
const SOCKET_FILE = 'cerbos.sock';
const PASSWORD_HASH_VARIABLE = 'CERBOS_ADMIN_PASSWORD_HASH';

/** Cerbos ignores sections that it does not know, so a typo would do nothing. */
const SECTIONS = ['audit', 'auxData', 'compile', 'engine', 'hub', 'schema', 'server', 'storage', 'telemetry'];

/** What follows from props of the agent or the engine. */
const OWNED_KEYS = ['server.httpListenAddr', 'server.grpcListenAddr', 'server.udsFileMode', 'server.tls', 'server.adminAPI', 'storage.driver', 'telemetry.disabled'];

/** Cerbos, a policy decision point. @see https://docs.cerbos.dev */
export class CerbosEngine implements IPolicyEngine {
  public readonly engineName = 'cerbos';
  public readonly defaultDeploymentMode = DeploymentMode.DEPLOYMENT;

  public constructor(private readonly props: CerbosEngineProps) {
    if (props.config !== undefined) checkConfig(props.config);
    const reserved = Object.keys(props.environment ?? {}).find((name) => isReserved(name) || name === PASSWORD_HASH_VARIABLE);
    if (reserved) throw new Error(`environment must not contain ${reserved}: the agent sets it`);
  }

  public bind(context: PolicyEngineContext): PolicyEngineBinding {
    const { props } = this;
    if (context.clientCertificates === ClientCertificates.REQUIRED) {
      throw new Error(
        'Cerbos cannot require client certificates: it lets clients through that show none, so REQUIRED would promise what does not hold; ' +
        'use ClientCertificates.VERIFY_IF_GIVEN and say so, or put a proxy or service mesh that enforces them in front',
      );
    }
    const storage = props.storage._bind(context);
    if (storage.isPerPod && !props.adminApi) {
      throw new Error(`storage ${storage.driver} starts empty and is filled through the admin API: give adminApi, or every request is denied`);
    }
    const httpPort = props.httpPort ?? 3592;
    const grpcPort = props.grpcPort ?? 3593;
    if (httpPort === grpcPort) throw new Error(`httpPort and grpcPort must differ, given ${httpPort} for both`);
    const tls = context.tlsDirectory !== undefined;
    const scheme = tls ? 'https' : 'http';
    const socket = context.socketDirectory && `${context.socketDirectory}/${SOCKET_FILE}`;
    const health = { httpGet: { path: '/_cerbos/health', port: 'http', ...(tls && { scheme: 'HTTPS' }) }, timeoutSeconds: 3 };

    return {
      containers: [{
        name: 'cerbos',
        image: props.image ?? 'ghcr.io/cerbos/cerbos:0.55.0',
        command: [this.binaryPath],
        args: ['server', `--config=${CONFIG_DIRECTORY}/${CONFIG_FILE}`, `--log-level=${props.logLevel ?? CerbosLogLevel.INFO}`],
        env: [
          ...nodeVariables(),
          ...(storage.env ?? []),
          ...(props.adminApi ? [{
            name: PASSWORD_HASH_VARIABLE,
            valueFrom: { secretKeyRef: { name: props.adminApi.passwordHashSecret.secretName, key: props.adminApi.passwordHashSecret.key } },
          }] : []),
          ...engineVariables(props.environment),
        ],
        volumeMounts: [
          { name: 'config', mountPath: CONFIG_DIRECTORY, readOnly: true },
          ...(storage.volumeMounts ?? []),
          ...(props.audit?._writesToDisk ? [{ name: 'audit', mountPath: AUDIT_DIRECTORY }] : []),
        ],
      }],
      volumes: [
        { name: 'config', configMap: { name: `${context.instanceName}-config` } },
        ...(storage.volumes ?? []),
        ...(props.audit?._writesToDisk ? [{ name: 'audit', emptyDir: {} }] : []),
      ],
      configMaps: [
        { suffix: 'config', data: { [CONFIG_FILE]: `${JSON.stringify(this.config(context, storage, { httpPort, grpcPort, socket }), undefined, 2)}\n` } },
        ...(storage.configMaps ?? []),
      ],
      checksums: storage.checksums,
      ports: [
        { name: 'http', port: httpPort, appProtocol: scheme },
        // With a socket gRPC listens there; the HTTP port speaks gRPC as well.
        { name: 'grpc', port: grpcPort, containerPort: socket ? httpPort : grpcPort, appProtocol: tls ? 'https' : 'grpc' },
      ],
      startupProbe: { ...health, periodSeconds: 2, failureThreshold: 90 },
      livenessProbe: socket
        ? { exec: { command: this.socketProbe(tls) }, periodSeconds: 30, timeoutSeconds: 10 }
        : { ...health, periodSeconds: 10 },
      readinessProbe: { ...health, periodSeconds: 5 },
      // The image has no shell and no `sleep`, and Cerbos stops listening as soon as it is told to stop.
      ...(context.shutdownWaitSeconds > 0 && { preStop: { sleep: { seconds: context.shutdownWaitSeconds } } }),
      shutdownGraceSeconds: 30,
      user: 65532,
      socketFile: SOCKET_FILE,
      discovery: context.serviceHost === undefined ? undefined : {
        CERBOS_HTTP: `${scheme}://${context.serviceHost}:${httpPort}`,
        CERBOS_GRPC: `${context.serviceHost}:${grpcPort}`,
      },
      metricsPort: 'http',
      metricsPath: '/_cerbos/metrics',
      metricsTls: tls,
      resources: { cpuRequest: '100m', memoryRequest: '128Mi', memoryLimit: '256Mi' },
      warnings: [...(storage.warnings ?? []), ...staleWarnings(context, storage)],
    };
  }

  private get binaryPath(): string {
    return this.props.binaryPath ?? '/cerbos';
  }

  private config(context: PolicyEngineContext, storage: StorageBinding, listen: { httpPort: number; grpcPort: number; socket?: string }): Json {
    const { props } = this;
    const generated = {
      server: {
        httpListenAddr: `:${listen.httpPort}`,
        grpcListenAddr: listen.socket ? `unix:${listen.socket}` : `:${listen.grpcPort}`,
        // A number: Cerbos reads a quoted mode such as "0o660" as 0755.
        ...(listen.socket && { udsFileMode: parseInt(context.socketMode!, 8) }),
        ...(context.tlsDirectory && {
          tls: {
            cert: `${context.tlsDirectory}/tls.crt`,
            key: `${context.tlsDirectory}/tls.key`,
            ...(context.clientCertificates === ClientCertificates.VERIFY_IF_GIVEN && { caCert: context.clientCaFile }),
          },
        }),
        apiExplorerEnabled: false,
        adminAPI: props.adminApi
          ? { enabled: true, adminCredentials: { username: props.adminApi.username, passwordHash: `\${${PASSWORD_HASH_VARIABLE}}` } }
          : { enabled: false },
        ...(props.maxConnectionAge && { advanced: { grpc: { maxConnectionAge: `${props.maxConnectionAge.toSeconds()}s` } } }),
      },
      storage: { driver: storage.driver, [storage.driver]: storage.config, ...storage.others },
      schema: { enforcement: props.schemaEnforcement ?? CerbosSchemaEnforcement.NONE },
      ...(props.audit && { audit: props.audit._config }),
      telemetry: { disabled: !(props.telemetry ?? false) },
    };
    return mergePatch(generated, props.config ?? {});
  }

  /** Asks the gRPC health service through the socket, wherever the configuration says that it is. */
  private socketProbe(tls: boolean): string[] {
    return [this.binaryPath, 'healthcheck', `--config=${CONFIG_DIRECTORY}/${CONFIG_FILE}`, '--timeout=5s', ...(tls ? ['--insecure'] : [])];
  }
}

function checkConfig(config: any) {
  if (!isObject(config)) throw new Error(`config must be an object, given ${JSON.stringify(config)}`);
  const unknown = Object.keys(config).find((section) => !SECTIONS.includes(section));
  if (unknown) throw new Error(`config has no section ${unknown}, which Cerbos would silently ignore; allowed are ${SECTIONS.join(', ')}`);
  for (const path of OWNED_KEYS) {
    const [section, key] = path.split('.');
    if (config[section]?.[key] !== undefined) throw new Error(`config must not set ${path}: it follows from other props of the agent or the engine`);
  }
  for (const limit of ['maxActionsPerResource', 'maxResourcesPerRequest']) {
    const value = config.server?.requestLimits?.[limit];
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 500)) {
      throw new Error(`config server.requestLimits.${limit} must be a whole number from 1 to 500, given ${value}`);
    }
  }
  refuseSecretLiterals(config, 'config');
}

/** @see https://github.com/cerbos/cerbos/issues/2601 */
function staleWarnings(context: PolicyEngineContext, storage: StorageBinding): string[] {
  if (!context.severalInstances || !storage.changedByAdminApi) return [];
  return [
    `agents with storage ${storage.driver} do not notice changes that are made through another one: reload each of them after a change ` +
    '(GET /admin/store/reload), or run a single replica',
  ];
}
