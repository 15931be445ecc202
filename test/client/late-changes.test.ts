import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ApiObject, App, Chart, JsonPatch, Testing, YamlOutputType } from 'cdk8s';
import * as kplus28 from 'cdk8s-plus-28';
import { parseAllDocuments } from 'yaml';
import { AuthzClientAffinity } from '../../lib';
import { deployment, listed, opaAgent, opaTerm, preferredTerms, synthesised } from '../support/clients';
import { synthesise, testChart } from '../support/synth';

const podOf = ({ spec }: any) => spec.template.spec;

describe('what is known of cdk8s holds, or this must be built otherwise', () => {
  test('cdk8s-plus adds its spread terms at each rendering', () => {
    const chart = testChart();
    const web = new kplus28.Deployment(chart, 'Web', { containers: [{ image: 'web:1' }], spread: true });
    const terms = () => podOf(ApiObject.of(web).toJson()).affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.length;
    expect([terms(), terms()]).toEqual([2, 4]);
  });

  test('a validation runs before anything is written, and once more for each chart', () => {
    const app = Testing.app();
    const charts = ['a', 'b'].map((id) => new Chart(app, id));
    let runs = 0;
    charts[0].node.addValidation({
      validate: () => {
        runs++;
        return [];
      },
    });
    app.synth();
    expect(runs).toBe(3);
  });
});

describe('each object is rendered as often as without us', () => {
  test('once, so that spread terms are not doubled', () => {
    const chart = testChart();
    const web = new kplus28.Deployment(chart, 'Web', { containers: [{ image: 'web:1' }], spread: true });
    opaAgent(chart).addClient(web);
    new AuthzClientAffinity(chart, 'NearOpa', { agent: opaAgent(new Chart(chart, 'other')) });
    const { affinity } = podOf(synthesise(chart).find(({ metadata }) => metadata.name === web.name));
    expect(affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toHaveLength(2);
    expect(affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([opaTerm()]);
  });

  test('once again in another synth, which knows what has changed meanwhile', () => {
    const chart = testChart();
    const web = deployment(chart, 'Web');
    const agent = opaAgent(chart);
    agent.addClient(web);
    expect(preferredTerms(podOf(synthesised(web)))).toEqual([opaTerm()]);
    web.addJsonPatch(JsonPatch.replace('/spec/template/spec/affinity', { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [opaTerm('x', 2)] } }));
    const late = deployment(chart, 'Late');
    agent.addClient(late);
    expect(preferredTerms(podOf(synthesised(web)))).toEqual([opaTerm('x', 2), opaTerm()]);
    expect(preferredTerms(podOf(synthesised(late)))).toEqual([opaTerm()]);
  });

  test.each(Object.values(YamlOutputType).filter((type) => typeof type === 'number') as YamlOutputType[])('in files of type %s', (yamlOutputType) => {
    const outdir = mkdtempSync(join(tmpdir(), 'late-'));
    try {
      const app = new App({ outdir, yamlOutputType });
      const charts = ['a', 'b', 'c'].map((id) => new Chart(app, id, { namespace: 'authz' }));
      const agent = opaAgent(charts[1]);
      const clients = charts.map((chart) => new kplus28.Deployment(chart, 'Web', { containers: [{ image: 'web:1' }], spread: true }));
      clients.forEach((client) => agent.addClient(client));
      app.synth();
      const entries = readdirSync(outdir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const objects = files.flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS()));
      for (const { name } of clients) {
        const { affinity } = podOf(objects.find(({ metadata }) => metadata.name === name));
        expect(affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([opaTerm()]);
        expect(affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toHaveLength(2);
      }
    } finally {
      rmSync(outdir, { recursive: true });
    }
  });
});

describe('what comes late is seen', () => {
  test('objects that are added to a client after it was named', () => {
    const chart = testChart();
    const team = new Chart(chart, 'team', { namespace: 'authz' });
    opaAgent(chart).addClient(team);
    const web = deployment(team, 'Web');
    expect(preferredTerms(podOf(synthesised(web)))).toEqual([opaTerm()]);
  });

  test('patches that are added after it was named, and the namespace that they give', () => {
    const chart = testChart();
    const web = deployment(chart, 'Web');
    opaAgent(chart).addClient(web);
    web.addJsonPatch(
      JsonPatch.add('/spec/template/spec/affinity', { nodeAffinity: {} }), JsonPatch.add('/spec/template/spec/hostPID', true), JsonPatch.add('/metadata/namespace', 'web'),
    );
    const pod = podOf(synthesised(web));
    expect(pod).toMatchObject({ hostPID: true, affinity: { nodeAffinity: {} } });
    expect(preferredTerms(pod)).toEqual([opaTerm('authz')]);
  });
});

test('an error is found before any file is written', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'late-'));
  try {
    const app = new App({ outdir });
    const [first, second] = ['a', 'b'].map((id) => new Chart(app, id, { namespace: 'authz' }));
    deployment(first, 'Web');
    const web = deployment(second, 'Web');
    opaAgent(first).addClient(web, { containers: ['gone'] });
    expect(() => app.synth()).toThrow('[a/Opa] client b/Web (Deployment/web): there is no container gone; there are web, log');
    expect(readdirSync(outdir)).toEqual([]);
  } finally {
    rmSync(outdir, { recursive: true });
  }
});

test('an object that cannot be rendered fails as it would without us', () => {
  const chart = testChart();
  const web = new kplus28.Deployment(chart, 'Web');
  opaAgent(chart).addClient(web);
  expect(() => synthesise(chart)).toThrow(/\[test\/Opa\] .*PodSpec must have at least 1 container/);
});

test('keys stand where cdk8s sorts them', () => {
  const chart = testChart();
  const web = deployment(chart, 'Web', { zeta: undefined });
  opaAgent(chart).addClient(web);
  const sortKeys = (value: any): any => value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]))
    : Array.isArray(value) ? value.map(sortKeys) : value;
  const { spec } = synthesised(web);
  expect(JSON.stringify(spec)).toBe(JSON.stringify(sortKeys(spec)));
});

test('what does not concern us is left alone', () => {
  const chart = testChart();
  const { toJson } = ApiObject.prototype;
  const agent = opaAgent(chart);
  const bystander = deployment(chart, 'Bystander');
  agent.addClient(deployment(chart, 'Web'));
  synthesise(chart);
  expect(bystander.toJson).toBe(toJson);
  expect(listed(agent, 'client')).toEqual(['test/Web (Deployment/web): named by addClient']);
});
