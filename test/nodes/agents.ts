import { App, Chart } from 'cdk8s';
import {
  AgentAccess, CerbosEngine, CerbosLogLevel, CerbosStorage, OpaEngine, OpaLogLevel, PolicyAgent, PolicyAgentProps, PolicyFiles,
} from '../../lib';
import { synthesise } from '../support/synth';

/** How an engine is asked in the tests, and what good answers contain. */
export interface TestEngine {
  readonly name: string;
  readonly engine: () => PolicyAgentProps['engine'];
  /** Arguments of `testkit ask` by way of access: at a host, or through the socket of an agent in a namespace. */
  readonly ask: (way: Way, where: { readonly host: string; readonly namespace: string }) => string[];
  /** The same for a client that keeps its connection, when it had better ask otherwise. */
  readonly askKept?: (host: string) => string[];
  readonly body: (user: string) => string;
  readonly allowed: string;
  readonly denied: string;
  /** The node that an answer tells. */
  readonly nodeOf: (answer: string) => string | undefined;
}

export type Way = 'service' | 'hostPort' | 'socket';

export const OPA: TestEngine = {
  name: 'OPA',
  engine: () => new OpaEngine({
    policies: [PolicyFiles.inline({
      'authz.rego': 'package authz\n\nverdict := {"allow": allow, "node": opa.runtime().env.NODE_NAME}\n\ndefault allow := false\n\nallow if input.user == "alice"\n',
    })],
    decisions: ['authz/verdict'],
    // Lines for each request cost more than its answer.
    logLevel: OpaLogLevel.ERROR,
  }),
  ask: (way, { host, namespace }) => way === 'socket'
    ? [`--unix=/run/opa/${namespace}/agent/opa.sock`, '--url=http://agent/v1/data/authz/verdict']
    : [`--url=http://${host}:8181/v1/data/authz/verdict`],
  body: (user) => JSON.stringify({ input: { user } }),
  allowed: '"allow":true',
  denied: '"allow":false',
  nodeOf: (answer) => /"node":"(\w+)"/.exec(answer)?.[1],
};

const CERBOS_POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - name: owner
      actions: [view]
      roles: [user]
      condition: { match: { expr: 'P.id == "alice"' } }
      effect: EFFECT_ALLOW
      output: { when: { ruleActivated: G.node } }
`;

export const CERBOS: TestEngine = {
  name: 'Cerbos',
  engine: () => new CerbosEngine({
    storage: CerbosStorage.disk(PolicyFiles.inline({ 'document.yaml': CERBOS_POLICY })),
    config: { engine: { globals: { node: '${NODE_NAME}' } } },
    logLevel: CerbosLogLevel.ERROR,
  }),
  ask: (way, { host, namespace }) => way === 'socket'
    ? [`--grpc=unix:/run/cerbos/${namespace}/agent/cerbos.sock`]
    : [`--url=http://${host}:3592/api/check/resources`],
  // Only gRPC connections are told to go elsewhere before Cerbos stops.
  askKept: (host) => [`--grpc=${host}:3593`],
  body: (user) => JSON.stringify({ principal: { id: user, roles: ['user'] }, resources: [{ resource: { kind: 'document', id: '1' }, actions: ['view'] }] }),
  allowed: 'EFFECT_ALLOW',
  denied: 'EFFECT_DENY',
  nodeOf: (answer) => /"val":\s*"(\w+)"/.exec(answer)?.[1],
};

export const ENGINES = [OPA, CERBOS];

/** The manifests of an agent called `agent`. */
export function agentManifests(engine: TestEngine, namespace: string, props: Partial<PolicyAgentProps> = {}): any[] {
  const chart = new Chart(new App(), 'test', { namespace });
  new PolicyAgent(chart, 'Agent', { engine: engine.engine(), access: [AgentAccess.service()], ...props });
  return synthesise(chart);
}
