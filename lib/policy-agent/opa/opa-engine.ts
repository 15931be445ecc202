import { fileClaims, isTest, refuseOverlaps } from './claims';
import { opaArguments, refuseOwnedFlags, SHUTDOWN_GRACE_SECONDS } from './opa-arguments';
import { authorizationPolicy, checkDecision, OpaAuthorization, TOKEN_VARIABLE } from './opa-authorization';
import { opaClients } from './opa-clients';
import { OpaConfig } from './opa-config';
import { OpaEngineProps } from './opa-engine-props';
import { opaProbes } from './opa-probes';
import { openApiWarnings, refuseAuthentication, resolveAuthorization } from './resolve-authorization';
import { engineVariables, isReserved, nodeVariables, referredVariables, secretVariable } from '../../private/environment';
import { refuseSecretLiterals } from '../../private/secrets';
import { bindPolicyFiles } from '../bind-policy-files';
import { DeploymentMode } from '../deployment-mode';
import { IPolicyEngine, PolicyEngineBinding, PolicyEngineContext } from '../engine';

const CONFIG_DIRECTORY = '/config';
const CONFIG_FILE = 'opa.json';
const AUTHORIZATION_FILE = 'authorization.rego';
const SOCKET_FILE = 'opa.sock';

/** The Open Policy Agent. @see https://www.openpolicyagent.org/docs */
export class OpaEngine implements IPolicyEngine {
  public readonly engineName = 'opa';
  public readonly defaultDeploymentMode = DeploymentMode.DAEMON_SET;

  public constructor(private readonly props: OpaEngineProps) {
    refuseOwnedFlags(props.extraArgs ?? []);
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
    const { port = 8181, diagnosticPort = 8282, binaryPath = '/opa' } = props;
    if (context.tlsDirectory && context.socketDirectory && !context.listensOnNetwork) throw new Error('OPA speaks no TLS on a Unix socket, and there is no other way of access: leave tls out');
    if (port === diagnosticPort) throw new Error(`port and diagnosticPort must differ, given ${port} for both`);

    const config = new OpaConfig(props, { instance: context.instanceName, node: '${NODE_NAME}', pod: '${POD_NAME}' });
    const files = bindPolicyFiles(props.policies ?? [], isTest, context);
    if (!config.downloads && files.directories.length === 0) {
      throw new Error('OPA has no policies: give at least one of bundles, discovery, policies, or bundles in config');
    }
    const claims = fileClaims(props.policies ?? []);
    refuseOverlaps(config.claims, claims);
    const authorization = resolveAuthorization(props, config.claims, claims);
    refuseAuthentication(props, context.clientCertificates, authorization);

    const generated = authorization === OpaAuthorization.DECISIONS;
    const configText = `${JSON.stringify(config.json, undefined, 2)}\n`;
    const scheme = context.tlsDirectory === undefined ? 'http' : 'https';
    const socket = context.socketDirectory && `${context.socketDirectory}/${SOCKET_FILE}`;
    return {
      containers: [{
        name: 'opa',
        image: props.image ?? 'openpolicyagent/opa:1.22.4-static',
        command: [binaryPath],
        args: opaArguments(props, {
          context,
          authorization,
          port,
          diagnosticPort,
          socket,
          configFile: `${CONFIG_DIRECTORY}/${CONFIG_FILE}`,
          policies: [...files.directories, ...(generated ? [`${CONFIG_DIRECTORY}/${AUTHORIZATION_FILE}`] : [])],
        }),
        env: [
          ...nodeVariables(),
          ...config.env,
          ...(props.clientTokenSecret ? [secretVariable(TOKEN_VARIABLE, props.clientTokenSecret)] : []),
          ...engineVariables(props.environment),
        ],
        volumeMounts: [{ name: 'config', mountPath: CONFIG_DIRECTORY, readOnly: true }, ...files.volumeMounts, ...config.volumeMounts],
      }],
      volumes: [{ name: 'config', configMap: { name: `${context.instanceName}-config` } }, ...files.volumes, ...config.volumes],
      configMaps: [
        {
          suffix: 'config',
          data: {
            [CONFIG_FILE]: configText,
            ...(generated && { [AUTHORIZATION_FILE]: authorizationPolicy(props.decisions!, props.clientTokenSecret !== undefined) }),
          },
        },
        ...files.configMaps,
      ],
      checksums: files.checksums,
      requiredVariables: referredVariables(configText),
      ports: [
        ...(context.listensOnNetwork || context.listensOnLoopback ? [{ name: 'http', port, appProtocol: scheme }] : []),
        { name: 'diagnostics', port: diagnosticPort, api: false },
      ],
      ...opaProbes({ binaryPath, authorization, downloads: config.downloads, socket }),
      shutdownGraceSeconds: SHUTDOWN_GRACE_SECONDS,
      user: 1000,
      socketFile: SOCKET_FILE,
      discovery: context.serviceHost === undefined ? undefined : {
        OPA: `${scheme}://${context.serviceHost}:${port}/`,
        ...(context.tlsDirectory && props.secretClass && { OPA_SECRET_CLASS: props.secretClass }),
      },
      clients: opaClients({ binaryPath, authorization, downloads: config.downloads, scheme, tls: context.tlsDirectory !== undefined }),
      metricsPort: 'diagnostics',
      goLimits: true,
      resources: { cpuRequest: '100m', memoryRequest: '128Mi', memoryLimit: '512Mi' },
      warnings: [...files.warnings, ...openApiWarnings(props, authorization)],
    };
  }
}
