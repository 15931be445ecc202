import { createRequire } from 'node:module';
import { ApiObject, addOpa, newChart } from './agents.mjs';

// The compiled library is CommonJS, and must share one copy of cdk8s with what is written by hand.
const require = createRequire(import.meta.url);
const { AuthzClientAffinity } = require('../build/index.js');

const LABEL = 'cdk8s-platform-services/policy-agent';

/** A client workload as its author writes it, with what the library adds given by hand or not at all. */
function workload(chart, number, { labels, pod, env }) {
  return new ApiObject(chart, `web-${number}`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `web-${number}`, ...(labels && { labels }) },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: `web-${number}` } },
      template: {
        metadata: { labels: { app: `web-${number}` } },
        spec: {
          ...pod,
          containers: [{
            name: 'web',
            image: 'registry.example.com/web:1.4',
            ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
            env: [...(env ?? []), { name: 'PORT', value: '8080' }],
            resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          }],
        },
      },
    },
  });
}

/** What the library adds, as someone would write it who has no library. */
function byHand() {
  return {
    pod: {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{
            weight: 50,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: {
                matchLabels: {
                  'app.kubernetes.io/name': 'opa',
                  'app.kubernetes.io/instance': 'opa',
                  'app.kubernetes.io/component': 'server',
                },
              },
            },
          }],
        },
      },
    },
  };
}

/** Two ways to name clients: by the library, and what comes to the same by hand. */
export const WAYS = {
  addClient: {
    library: (count) => synthesise(count, (chart, agent, number) => agent.addClient(workload(chart, number, {}))),
    hand: (count) => synthesise(count, (chart, _, number) => {
      workload(chart, number, { ...byHand(), env: [{ name: 'OPA_URL', value: 'http://opa.authz.svc:8181' }] });
    }),
  },
  AuthzClientAffinity: {
    library: (count) => synthesise(count, (chart, _, number) => workload(chart, number, { labels: { [LABEL]: 'opa' } }), (chart, agent) => {
      new AuthzClientAffinity(chart, 'NearOpa', { agent });
    }),
    hand: (count) => synthesise(count, (chart, _, number) => workload(chart, number, { labels: { [LABEL]: 'opa' }, ...byHand() })),
  },
};

function synthesise(count, addClient, addRest) {
  const chart = newChart();
  const agent = addOpa(chart, 'opa');
  for (let number = 1; number <= count; number++) addClient(chart, agent, number);
  addRest?.(chart, agent);
  return chart.node.root.synthYaml();
}
