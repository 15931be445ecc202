import { ApiObject, App, Chart } from 'cdk8s';
import { Deployment, EnvValue, Secret } from 'cdk8s-plus-28';
import { IConstruct } from 'constructs';
import { expectStrict } from './strict-schema';
import {
  CerbosEngine, CerbosEngineProps, CerbosStorage, OpaEngine, OpaEngineProps, PolicyAgent, PolicyAgentProps, PolicyFiles,
} from '../../lib';

/** A chart of an app of its own. */
export function testChart(namespace: string | undefined = 'authz'): Chart {
  return new Chart(new App(), 'test', { namespace });
}

/** The objects of an app, validated as at synth, each checked against its strict schema. */
export function synthesise(chart: Chart): any[] {
  App.of(chart).synthYaml();
  const objects = objectsIn(chart.node.root);
  expectStrict(objects);
  return objects;
}

/** The objects in a scope, just as they are. */
export function objectsIn(scope: IConstruct): any[] {
  return scope.node.findAll().filter((construct) => ApiObject.isApiObject(construct)).map((object) => (object as ApiObject).toJson());
}

/** The objects of one agent called `agent`, in namespace `authz` or another one; for a sidecar also those of a Deployment that it runs in. */
export function agentObjects(props: PolicyAgentProps, namespace?: string): any[] {
  const chart = testChart(namespace);
  const agent = new PolicyAgent(chart, 'Agent', props);
  if (agent.isSidecar) agent.addClient(new Deployment(chart, 'Client', { containers: [{ image: 'client:1' }] }));
  return synthesise(chart);
}

/** The only object of a kind, or the one with this name. */
export function find(objects: any[], kind: string, name?: string): any {
  const found = objects.filter((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
  if (found.length !== 1) throw new Error(`expected one ${kind} ${name ?? ''}, found ${found.map(({ metadata }) => metadata.name).join(', ') || 'none'}`);
  return found[0];
}

/** A value for a variable from a Secret that exists. */
export function secretValue(name: string, key: string): EnvValue {
  return EnvValue.fromSecretValue({ secret: Secret.fromSecretName(testChart(), name, name), key });
}

/** An engine with an inline policy. */
export function opa(props: Partial<OpaEngineProps> = {}): OpaEngine {
  const policies = props.bundles || props.discovery || props.config ? undefined : [PolicyFiles.inline({ 'authz.rego': 'package authz\nallow := true\n' })];
  return new OpaEngine({ policies, decisions: ['authz/allow'], ...props });
}

/** An engine with an inline policy. */
export function cerbos(props: Partial<CerbosEngineProps> = {}): CerbosEngine {
  return new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'policy.yaml': '# none\n' })), ...props });
}

/** The pod template of the only workload, or of that of a role group. */
export function podTemplate(objects: any[], roleGroup?: string): any {
  const workloads = objects.filter(({ kind, metadata }) => ['DaemonSet', 'Deployment'].includes(kind) && (!roleGroup || metadata.name.endsWith(`-${roleGroup}`)));
  if (workloads.length !== 1) throw new Error(`expected one workload, found ${workloads.length}`);
  return workloads[0].spec.template;
}
