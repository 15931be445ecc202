import { ApiObject, App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { opa } from './synth';
import { DeploymentMode, PolicyAgent, PolicyAgentProps } from '../../lib';

/** Labels of the pods of agent `opa`. */
export const OPA_LABELS = {
  'app.kubernetes.io/name': 'opa',
  'app.kubernetes.io/instance': 'opa',
  'app.kubernetes.io/component': 'server',
};

/** The term that draws a client to agent `opa`, in its own namespace unless another one is given. */
export function opaTerm(namespace?: string, weight = 50): any {
  return {
    weight,
    podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: OPA_LABELS }, ...(namespace && { namespaces: [namespace] }) },
  };
}

/** An agent called `opa`, as a few replicas unless it is told otherwise. */
export function opaAgent(scope: Construct, props: Partial<PolicyAgentProps> = {}): PolicyAgent {
  return new PolicyAgent(scope, 'Opa', { engine: opa(), deploymentMode: DeploymentMode.DEPLOYMENT, ...props });
}

/** A raw Deployment with two containers. */
export function deployment(scope: Construct, id: string, pod: any = {}, metadata: any = {}): ApiObject {
  return new ApiObject(scope, id, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: id.toLowerCase(), ...metadata },
    spec: {
      selector: { matchLabels: { app: id } },
      template: {
        metadata: { labels: { app: id } },
        spec: { containers: [{ name: 'web', image: 'web:1' }, { name: 'log', image: 'log:1' }], ...pod },
      },
    },
  });
}

/** Preferred terms of a pod's affinity. */
export function preferredTerms(pod: any): any[] {
  return pod.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** What is synthesised of one object. */
export function synthesised(object: ApiObject): any {
  App.of(object).synthYaml();
  return object.toJson();
}

/** Warnings or clients that are listed on a construct. */
export function listed(construct: Construct, type: 'warning' | 'client'): string[] {
  return construct.node.metadata.filter((entry) => entry.type === `cdk8s-platform-services/${type}`).map(({ data }) => data);
}

/** An app with a chart for the agent and one for its clients. */
export function twoCharts(clients: string | undefined = 'web', agent: string | undefined = 'authz'): { agents: Chart; clients: Chart } {
  const app = new App();
  return { agents: new Chart(app, 'agents', { namespace: agent }), clients: new Chart(app, 'clients', { namespace: clients }) };
}
