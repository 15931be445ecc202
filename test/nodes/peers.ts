import { Duration } from 'cdk8s';
import { PercentOrAbsolute } from 'cdk8s-plus-28';
import { PolicyAgentProps } from '../../lib';

/** What decides over lost requests in the manifests of upstream operators and charts, by engine. */
export const PEERS: Record<string, { readonly title: string; readonly props: Partial<PolicyAgentProps> }> = {
  // It surges, but stops answering at once, and asks for readiness every 10 seconds.
  OPA: {
    title: 'opa-operator',
    props: {
      shutdownWait: Duration.seconds(0),
      podOverrides: { spec: { containers: [{ name: 'opa', readinessProbe: { initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 5 } }] } },
    },
  },
  // The default rollout, no hook before the stop, default probes.
  Cerbos: {
    title: 'the Cerbos chart',
    props: {
      shutdownWait: Duration.seconds(0),
      rollout: { maxUnavailable: PercentOrAbsolute.absolute(1) },
      podOverrides: { spec: { containers: [{ name: 'cerbos', startupProbe: null, readinessProbe: { periodSeconds: 10 } }] } },
    },
  },
};
