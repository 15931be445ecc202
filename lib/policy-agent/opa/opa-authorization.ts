/** What decides which requests OPA's own API answers. */
export enum OpaAuthorization {
  /**
   * A generated policy: health, metrics and the `decisions` that the engine names, nothing else. Policies and data can
   * be neither changed nor read. The default wherever it can hold.
   */
  DECISIONS = 'DECISIONS',

  /**
   * Your own `system.authz`, in a bundle or among the policy files. Until it is there, every request is refused. It must
   * allow `GET` of `["health"]`, which the readiness probe asks, and should allow `["metrics"]`.
   *
   * @see https://www.openpolicyagent.org/docs/security#authentication-and-authorization
   */
  OWN_POLICY = 'OWN_POLICY',

  /**
   * Nothing: the API is open. Whoever reaches the port may read everything and change whatever no bundle owns.
   */
  OFF = 'OFF',
}

/** Root of the package that OPA asks. */
export const AUTHORIZATION_ROOT = 'system/authz';

/** Variable of the container that holds the token of clients. */
export const TOKEN_VARIABLE = 'OPA_CLIENT_TOKEN';

/** Checks the path of a rule that clients may query. */
export function checkDecision(decision: string): string {
  if (!/^[^/.\s]+(\/[^/.\s]+)*$/.test(decision) || decision === 'system' || decision.startsWith('system/')) {
    throw new Error(`decisions must be paths of rules such as 'authz/allow', outside of 'system', given ${JSON.stringify(decision)}`);
  }
  return decision;
}

/** The policy behind `OpaAuthorization.DECISIONS`. */
export function authorizationPolicy(decisions: string[], token: boolean): string {
  const paths = decisions.map((decision) => JSON.stringify(decision.split('/')));
  return `# Health, metrics and the decisions named below; nothing that reads or changes policies or data.
package system.authz

default allow := false

allow if {
	input.method == "GET"
	input.path in {["health"], ["metrics"]}
}

# Traces would show the data behind a decision.
allow if {
	input.method in {"GET", "POST"}
	input.path[0] in {"v0", "v1"}
	input.path[1] == "data"
	array.slice(input.path, 2, count(input.path)) in decisions
	not input.params.explain
${token ? `	token != ""
	input.identity == token\n` : ''}}

decisions := {
${paths.map((path) => `	${path},`).join('\n')}
}
${token ? `
# Secrets often end with a line break.
token := trim_space(opa.runtime().env.${TOKEN_VARIABLE})
` : ''}`;
}
