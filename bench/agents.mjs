import { createRequire } from 'node:module';

// The compiled library is CommonJS, and must share one copy of cdk8s with what is written by hand.
const require = createRequire(import.meta.url);
const { App, Chart, ApiObject } = require('cdk8s');
const { CerbosEngine, CerbosStorage, OpaEngine, PolicyAgent, PolicyFiles } = require('../build/index.js');

export { ApiObject };

export const NAMESPACE = 'authz';

/** The policy of every Cerbos agent. */
export const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - actions: ['read']
      effect: EFFECT_ALLOW
      roles: ['user']
`;

export function newChart(outdir) {
  const app = new App({ outdir });
  return new Chart(app, 'agents', { namespace: NAMESPACE });
}

/** OPA and Cerbos by turns: opa-1, cerbos-2, opa-3 … */
export function isOpa(number) {
  return number % 2 === 1;
}

/** An OPA on every node, with a bundle. */
export function addOpa(chart, instanceName) {
  return new PolicyAgent(chart, instanceName, {
    engine: new OpaEngine({
      bundles: { authz: { url: 'https://bundles.example.com/authz.tar.gz', roots: ['authz'] } },
      decisions: ['authz/allow'],
    }),
  });
}

/** Two replicas of Cerbos, with a policy in a ConfigMap. */
export function addCerbos(chart, instanceName) {
  return new PolicyAgent(chart, instanceName, {
    engine: new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'document.yaml': POLICY })) }),
  });
}
