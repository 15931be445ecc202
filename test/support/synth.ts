import { ApiObject, App, Chart } from 'cdk8s';
import { EnvValue, Secret } from 'cdk8s-plus-28';
import { PolicyAgent, PolicyAgentProps } from '../../lib';

/** A chart of an app of its own. */
export function testChart(namespace: string | undefined = 'authz'): Chart {
  return new Chart(new App(), 'test', { namespace });
}

/** The objects of an app, validated as at synth. */
export function synthesise(chart: Chart): any[] {
  App.of(chart).synthYaml();
  return chart.node.findAll().filter((construct) => ApiObject.isApiObject(construct)).map((object) => (object as ApiObject).toJson());
}

/** The objects of one agent called `agent` in namespace `authz`. */
export function agentObjects(props: PolicyAgentProps): any[] {
  const chart = testChart();
  new PolicyAgent(chart, 'Agent', props);
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
