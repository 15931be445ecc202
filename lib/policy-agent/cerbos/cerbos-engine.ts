import { cerbosClients } from './cerbos-clients';
import { PASSWORD_HASH_VARIABLE, checkConfig, renderConfig } from './cerbos-config';
import { CerbosEngineProps, CerbosLogLevel } from './cerbos-engine-props';
import { AUDIT_DIRECTORY, CONFIG_DIRECTORY } from './directories';
import { StorageBinding } from './storage-binding';
import { engineVariables, isReserved, nodeVariables, referredVariables, secretVariable } from '../../private/environment';
import { ClientCertificates } from '../agent-tls';
import { DeploymentMode } from '../deployment-mode';
import { IPolicyEngine, PolicyEngineBinding, PolicyEngineContext } from '../engine';

const CONFIG_FILE = '.cerbos.yaml';
const SOCKET_FILE = 'cerbos.sock';

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
    this.checkAudit(storage);
    const httpPort = props.httpPort ?? 3592;
    const grpcPort = props.grpcPort ?? 3593;
    if (httpPort === grpcPort) throw new Error(`httpPort and grpcPort must differ, given ${httpPort} for both`);
    const tls = context.tlsDirectory !== undefined;
    const scheme = tls ? 'https' : 'http';
    const socket = context.socketDirectory && `${context.socketDirectory}/${SOCKET_FILE}`;
    const config = `${JSON.stringify(renderConfig(props, context, storage, { httpPort, grpcPort, socket }), undefined, 2)}\n`;
    return {
      containers: [{
        name: 'cerbos',
        image: props.image ?? 'ghcr.io/cerbos/cerbos:0.55.0',
        command: [this.binaryPath],
        args: ['server', `--config=${CONFIG_DIRECTORY}/${CONFIG_FILE}`, `--log-level=${props.logLevel ?? CerbosLogLevel.INFO}`],
        env: [
          ...nodeVariables(),
          ...(storage.env ?? []),
          ...(props.adminApi ? [secretVariable(PASSWORD_HASH_VARIABLE, props.adminApi.passwordHashSecret)] : []),
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
        { suffix: 'config', data: { [CONFIG_FILE]: config } },
        ...(storage.configMaps ?? []),
      ],
      checksums: storage.checksums,
      requiredVariables: referredVariables(config),
      ports: context.listensOnNetwork || context.listensOnLoopback ? [
        { name: 'http', port: httpPort, appProtocol: scheme },
        // With a socket gRPC listens there; the HTTP port speaks gRPC as well.
        { name: 'grpc', port: grpcPort, containerPort: socket ? httpPort : grpcPort, appProtocol: tls ? 'https' : 'grpc' },
      ] : [],
      ...this.probes(context, tls),
      // The image has no shell and no `sleep`, and Cerbos stops listening as soon as it is told to stop.
      ...(context.shutdownWaitSeconds > 0 && { preStop: { sleep: { seconds: context.shutdownWaitSeconds } } }),
      shutdownGraceSeconds: 30,
      user: 65532,
      socketFile: SOCKET_FILE,
      discovery: context.serviceHost === undefined ? undefined : {
        CERBOS_HTTP: `${scheme}://${context.serviceHost}:${httpPort}`,
        CERBOS_GRPC: `${context.serviceHost}:${grpcPort}`,
      },
      clients: cerbosClients({ binaryPath: this.binaryPath, scheme, tls }),
      metricsPort: context.listensOnNetwork ? 'http' : undefined,
      metricsPath: '/_cerbos/metrics',
      metricsTls: tls,
      resources: { cpuRequest: '100m', memoryRequest: '128Mi', memoryLimit: '256Mi' },
      warnings: [...(storage.warnings ?? []), ...staleWarnings(context, storage)],
    };
  }

  private get binaryPath(): string {
    return this.props.binaryPath ?? '/cerbos';
  }

  private checkAudit({ driver, others = {} }: StorageBinding) {
    const { audit, config, environment = {} } = this.props;
    if (audit?._config.backend !== 'hub' || driver === 'hub' || Object.hasOwn(others, 'hub')) return;
    if (config?.hub?.credentials || Object.hasOwn(environment, 'CERBOS_HUB_CLIENT_ID')) return;
    throw new Error('CerbosAudit.hub() needs credentials of Cerbos Hub: use CerbosStorage.hub, or give CERBOS_HUB_CLIENT_ID and _SECRET in environment');
  }

  /** Over HTTP where the network can reach it. Only asking the gRPC health service through the socket tells whether it is still there. */
  private probes({ listensOnNetwork, socketDirectory }: PolicyEngineContext, tls: boolean) {
    const http = { httpGet: { path: '/_cerbos/health', port: 'http', ...(tls && { scheme: 'HTTPS' }) }, timeoutSeconds: 3 };
    const command = [this.binaryPath, 'healthcheck', `--config=${CONFIG_DIRECTORY}/${CONFIG_FILE}`, '--timeout=5s', ...(tls ? ['--insecure'] : [])];
    const socket = { exec: { command }, timeoutSeconds: 10 };
    return {
      startupProbe: { ...(listensOnNetwork ? http : socket), periodSeconds: 2, failureThreshold: 90 },
      livenessProbe: socketDirectory || !listensOnNetwork ? { ...socket, periodSeconds: 30 } : { ...http, periodSeconds: 10 },
      readinessProbe: listensOnNetwork ? { ...http, periodSeconds: 5 } : { ...socket, periodSeconds: 10 },
    };
  }
}

/** @see https://github.com/cerbos/cerbos/issues/2601 */
function staleWarnings(context: PolicyEngineContext, storage: StorageBinding): string[] {
  if (!context.severalInstances || !storage.changedByAdminApi) return [];
  return [
    `agents with storage ${storage.driver} do not notice changes that are made through another one: reload each of them after a change ` +
    '(GET /admin/store/reload), or run a single replica',
  ];
}
