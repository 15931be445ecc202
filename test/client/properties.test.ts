import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import * as fc from 'fast-check';
import { AuthzClientAffinity } from '../../lib';
import { opaAgent, opaTerm } from '../support/clients';
import { strictErrors } from '../support/strict-schema';

const word = fc.constantFrom('a', 'b', 'c');
const labels = fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true });
const podAffinityTerm = fc.record({
  topologyKey: fc.constantFrom('zone', 'kubernetes.io/hostname'),
  labelSelector: fc.record({ matchLabels: labels }, { noNullPrototype: true }),
  namespaces: fc.array(word, { maxLength: 2 }),
}, { requiredKeys: ['topologyKey', 'labelSelector'], noNullPrototype: true });
const weighted = fc.record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm }, { noNullPrototype: true });
// Now and then what the library would add, with a weight of the user's.
const someTerm = fc.oneof({ weight: 5, arbitrary: weighted }, { weight: 1, arbitrary: fc.constant(opaTerm(undefined, 7)) });
const preferred = fc.array(someTerm, { maxLength: 3 });
const podAffinity = fc.record({
  preferredDuringSchedulingIgnoredDuringExecution: preferred,
  requiredDuringSchedulingIgnoredDuringExecution: fc.array(podAffinityTerm, { maxLength: 2 }),
}, { requiredKeys: [], noNullPrototype: true });
const affinity = fc.record({
  podAffinity,
  podAntiAffinity: podAffinity,
  nodeAffinity: fc.constant({ preferredDuringSchedulingIgnoredDuringExecution: [] }),
}, { requiredKeys: [], noNullPrototype: true });

/** What a user may do to an object at any time. */
const patch = fc.oneof(
  affinity.map((value) => JsonPatch.add('/spec/template/spec/affinity', value)),
  fc.constant(JsonPatch.remove('/spec/template/spec/affinity')),
  fc.constant(JsonPatch.add('/spec/template/spec/hostPID', true)),
  fc.constant(JsonPatch.add('/spec/template/spec/containers/0/env', [{ name: 'MINE', value: '1' }])),
  labels.map((value) => JsonPatch.add('/spec/template/metadata/annotations', value)),
);

/** What the library may be asked for, in any order and however often. */
type Step = { patch: JsonPatch } | 'addClient' | 'addChart' | 'find' | 'mixin' | 'synth';
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: patch.map((each) => ({ patch: each })) },
  { weight: 3, arbitrary: fc.constantFrom<Step>('addClient', 'addChart', 'find', 'mixin', 'synth') },
);

function web(scope: Chart, initial: any): ApiObject {
  return new ApiObject(scope, 'Web', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { 'cdk8s-platform-services/policy-agent': 'opa' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { ...(initial && { affinity: initial }), containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });
}

test('whatever the user has and does, in whatever order: the term is there once, and nothing is lost', () => {
  fc.assert(fc.property(fc.option(affinity), fc.array(step, { maxLength: 8 }), (initial, steps) => {
    const app = new App();
    const chart = new Chart(app, 'web', { namespace: 'authz' });
    const agent = opaAgent(new Chart(app, 'agent', { namespace: 'authz' }));
    const client = web(chart, initial);
    const plain = web(new Chart(new App(), 'web', { namespace: 'authz' }), initial);
    const asked = new Set<Step>();
    steps.forEach((each, index) => {
      if (typeof each !== 'string') {
        client.addJsonPatch(each.patch);
        plain.addJsonPatch(each.patch);
        return;
      }
      asked.add(each);
      if (each === 'addClient') agent.addClient(client);
      if (each === 'addChart') agent.addClient(chart);
      if (each === 'find') new AuthzClientAffinity(chart, `Near${index}`, { agent });
      if (each === 'mixin') chart.with(AuthzClientAffinity.mixin({ agent }));
      if (each === 'synth') app.synthYaml();
    });
    app.synthYaml();
    const result = client.toJson();
    expect(strictErrors(result)).toEqual([]);

    const expected = plain.toJson();
    asked.delete('synth');
    if (asked.size > 0) {
      const pod = expected.spec.template.spec;
      const terms = pod.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      const there = terms.some((term: any) => JSON.stringify(sorted(term.podAffinityTerm)) === JSON.stringify(sorted(opaTerm().podAffinityTerm)));
      pod.affinity = { ...pod.affinity, podAffinity: { ...pod.affinity?.podAffinity } };
      if (!there) pod.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution = [...terms, opaTerm()];
      if (asked.has('addClient') || asked.has('addChart')) {
        const [container] = pod.containers;
        container.env = [{ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' }, ...(container.env ?? [])];
      }
    }
    expect(result).toEqual(expected);
  }), { numRuns: 150 });
});

function sorted(value: any): any {
  if (Array.isArray(value)) return value.map(sorted);
  return value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;
}
