import { OpaAuthorization } from './opa-authorization';
import { OpaEngineProps, OpaLogLevel } from './opa-engine-props';
import { ClientCertificates } from '../agent-tls';
import { PolicyEngineContext } from '../engine';

/** Seconds that OPA may take to end its requests. */
export const SHUTDOWN_GRACE_SECONDS = 10;

/** What the arguments of OPA depend on, besides the props of its engine. */
export interface OpaArgumentOptions {
  readonly context: PolicyEngineContext;
  readonly authorization: OpaAuthorization;
  readonly port: number;
  readonly diagnosticPort: number;
  readonly socket?: string;
  readonly configFile: string;
  /** Folders and files with policies. */
  readonly policies: string[];
}

/** Flags that follow from props, or would open what they close. */
const OWNED_FLAGS = new RegExp(`^-[abcsw]|^--?(${[
  'addr', 'diagnostic-addr', 'config-file', 'server', 'authentication', 'authorization', 'bundle', 'set', 'set-file', 'tls-.*', 'unix-socket-perm',
  'shutdown-.*', 'ignore', 'pprof', 'watch.*',
].join('|')})(=|$)`);

/** Refuses arguments of the user's that would undo what props say. */
export function refuseOwnedFlags(extraArgs: string[]) {
  const owned = extraArgs.find((arg) => OWNED_FLAGS.test(arg));
  if (owned) throw new Error(`extraArgs must not contain ${owned}: it follows from other props of the agent or the engine`);
}

/** The arguments of `opa`. @see https://www.openpolicyagent.org/docs/cli#run */
export function opaArguments(props: OpaEngineProps, options: OpaArgumentOptions): string[] {
  const { context } = options;
  return [
    'run',
    '--server',
    ...(context.listensOnNetwork ? [`--addr=:${options.port}`] : []),
    ...(context.listensOnLoopback ? [`--addr=127.0.0.1:${options.port}`] : []),
    ...(options.socket ? [`--addr=unix://${options.socket}`, `--unix-socket-perm=${context.socketMode}`] : []),
    // With TLS an address without a scheme would speak TLS, too.
    `--diagnostic-addr=http://:${options.diagnosticPort}`,
    `--config-file=${options.configFile}`,
    ...tlsArguments(context),
    ...(props.clientTokenSecret ? ['--authentication=token'] : []),
    ...(options.authorization === OpaAuthorization.OFF ? [] : ['--authorization=basic']),
    `--shutdown-wait-period=${context.shutdownWaitSeconds}`,
    `--shutdown-grace-period=${SHUTDOWN_GRACE_SECONDS}`,
    '--skip-version-check',
    '--log-format=json',
    `--log-level=${props.logLevel ?? OpaLogLevel.INFO}`,
    // ConfigMap volumes hold their files twice, the second time in hidden folders.
    '--ignore=.*',
    ...(props.extraArgs ?? []),
    ...options.policies,
  ];
}

function tlsArguments({ tlsDirectory, clientCertificates, clientCaFile }: PolicyEngineContext): string[] {
  if (!tlsDirectory) return [];
  return [
    `--tls-cert-file=${tlsDirectory}/tls.crt`,
    `--tls-private-key-file=${tlsDirectory}/tls.key`,
    // OPA's own watch does not notice how the kubelet swaps the files of a volume.
    '--tls-cert-refresh-period=10s',
    ...(clientCertificates === ClientCertificates.REQUIRED ? [`--tls-ca-cert-file=${clientCaFile}`, '--authentication=tls'] : []),
  ];
}
