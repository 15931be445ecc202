import { readFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, Chart, Helm } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { opaAgent, opaTerm, preferredTerms } from '../support/clients';
import { EXAMPLES_DIR } from '../support/examples';
import { HELM, requireProgram } from '../support/programs';
import { synthesise, testChart } from '../support/synth';

const EXAMPLE = join(EXAMPLES_DIR, 'helm-app-near-opa');

beforeAll(() => requireProgram(HELM));

function helm(chart: Chart): Helm {
  return new Helm(chart, 'App', { chart: join(EXAMPLE, 'chart'), releaseName: 'shop', values: { opaConfigMap: 'opa' }, helmExecutable: HELM });
}

test('the file of the example is what the real helm makes of its chart', () => {
  const chart = testChart('shop');
  const rendered = helm(chart).apiObjects.map((object) => object.toJson());
  const kept = parseAllDocuments(readFileSync(join(EXAMPLE, 'app.yaml'), 'utf8')).map((document) => document.toJS());
  expect(rendered).toEqual(kept.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: 'shop' } })));
});

test('workloads of a Helm chart are clients, and nothing else in it', () => {
  const chart = testChart('shop');
  const release = helm(chart);
  const before = release.apiObjects.map((object) => object.toJson());
  opaAgent(chart).addClient(release);
  synthesise(chart);
  const after = release.apiObjects.map((object: ApiObject) => object.toJson());
  const podOf = ({ spec }: any) => (spec.jobTemplate ?? { spec }).spec.template?.spec;
  expect(after.map((object) => podOf(object) && preferredTerms(podOf(object)))).toEqual(before.map((object) => podOf(object) && [opaTerm()]));
  expect(after.filter((object) => !podOf(object))).toEqual(before.filter((object) => !podOf(object)));
});
