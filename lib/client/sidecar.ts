import type { Container, PodSpec, PodTemplateSpec, Volume } from 'kubernetes-types/core/v1';
import { checkDnsLabel } from '../private/names';

/** What a probe does, and which of its fields say so. */
const HANDLERS = ['httpGet', 'exec', 'tcpSocket', 'grpc'] as const;

/**
 * The containers of an agent's pod as sidecars of another pod. What was said of the pod is said of each container, names get
 * the agent's in front, and nothing claims the name of a port, which a Service of the client may mean.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export function sidecarContainers({ spec }: PodTemplateSpec, instanceName: string): { initContainers: Container[]; volumes: Volume[] } {
  const { containers, initContainers = [], volumes = [] } = spec!;
  const named = (name: string) => checkDnsLabel(`${instanceName}-${name}`, 'name of a sidecar or its volume');
  const adapt = (container: Container): Container => ({
    ...container,
    name: named(container.name),
    securityContext: { ...ofContainer(spec!), ...container.securityContext },
    volumeMounts: container.volumeMounts?.map((mount) => ({ ...mount, name: named(mount.name) })),
  });
  return {
    initContainers: [...initContainers.map(adapt), ...containers.map((container) => ({ ...withoutPorts(adapt(container)), restartPolicy: 'Always' }) as Container)],
    volumes: volumes.map((volume) => ({ ...volume, name: named(volume.name) })),
  };
}

function ofContainer({ securityContext = {} }: PodSpec): Container['securityContext'] {
  const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = securityContext;
  return { runAsUser, runAsGroup, runAsNonRoot, seccompProfile };
}

/**
 * Probes by number. The next container starts as soon as the startup probe has passed, so it asks what the readiness probe
 * asks; a sidecar that is not ready after the time of the startup probe is started anew.
 */
function withoutPorts({ ports = [], startupProbe, livenessProbe, readinessProbe, ...container }: Container): Container {
  const numbered = (probe: any): any => {
    const handler = HANDLERS.find((name) => probe?.[name]?.port !== undefined);
    const port = handler && ports.find(({ name }) => name === probe[handler].port);
    return port ? { ...probe, [handler]: { ...probe[handler], port: port.containerPort } } : probe;
  };
  const { periodSeconds, failureThreshold, initialDelaySeconds } = startupProbe ?? {};
  return {
    ...container,
    ...(livenessProbe && { livenessProbe: numbered(livenessProbe) }),
    ...(readinessProbe && {
      readinessProbe: numbered(readinessProbe),
      startupProbe: { ...numbered(readinessProbe), initialDelaySeconds, periodSeconds: periodSeconds ?? 2, failureThreshold: failureThreshold ?? 60 },
    }),
  };
}
