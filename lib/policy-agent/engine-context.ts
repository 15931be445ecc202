import { ClientCertificates } from './agent-tls';
import { PolicyEngineContext } from './engine';
import { AgentSettings, CLIENT_CA_DIRECTORY, TLS_DIRECTORY } from './settings';

/** What the engine is told. */
export function contextOf(settings: AgentSettings): PolicyEngineContext {
  const { socket, tls } = settings;
  return {
    instanceName: settings.instanceName,
    namespace: settings.namespace,
    deploymentMode: settings.mode,
    severalInstances: settings.maxPods === undefined || settings.maxPods > 1,
    kubernetesVersion: settings.kubernetesVersion,
    listensOnNetwork: settings.service || settings.hostPorts !== undefined,
    listensOnLoopback: settings.loopback,
    serviceHost: settings.serviceHost,
    socketDirectory: socket?.hostDirectory,
    socketMode: socket?.mode,
    tlsDirectory: tls && TLS_DIRECTORY,
    clientCertificates: tls?.clientCertificates ?? ClientCertificates.NONE,
    clientCaFile: tls && tls.clientCertificates !== ClientCertificates.NONE
      ? `${tls.clientCaSecret ? CLIENT_CA_DIRECTORY : TLS_DIRECTORY}/ca.crt`
      : undefined,
    shutdownWaitSeconds: settings.shutdownWaitSeconds,
    acknowledged: settings.acknowledged,
  };
}
