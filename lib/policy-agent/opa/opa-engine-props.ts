import type { EnvValue } from 'cdk8s-plus-28';
import { OpaAuthorization } from './opa-authorization';
import { OpaBundle, OpaDiscovery } from './opa-bundle';
import { OpaDecisionLogs, OpaStatus } from './opa-logs';
import { PolicyFiles } from '../policy-files';
import { SecretKey } from '../secret-key';

/** How much OPA logs. */
export enum OpaLogLevel {
  /** Everything, bodies of requests included. */
  DEBUG = 'debug',

  /** Each request, and what the plugins do. */
  INFO = 'info',

  /** Errors only. */
  ERROR = 'error',
}

/** Properties for `OpaEngine`. At least one of `bundles`, `discovery`, `policies` and `config` must bring policies. */
export interface OpaEngineProps {
  /**
   * Reference of the image, by tag or digest.
   *
   * @default 'openpolicyagent/opa:1.22.4-static'
   */
  readonly image?: string;

  /**
   * Path of the program in the image.
   *
   * @default '/opa'
   */
  readonly binaryPath?: string;

  /**
   * Bundles that each agent downloads, by name.
   *
   * @default - none
   */
  readonly bundles?: Record<string, OpaBundle>;

  /**
   * A bundle that configures OPA.
   *
   * @default - none
   */
  readonly discovery?: OpaDiscovery;

  /**
   * Rego and data from the file system. Beside bundles only where both are known to stand apart, since a bundle erases
   * what stands at its roots when it is activated.
   *
   * @default - none
   */
  readonly policies?: PolicyFiles[];

  /**
   * Paths of the rules that clients may query, such as `authz/allow` for `POST /v1/data/authz/allow`.
   *
   * @default - none; required with `OpaAuthorization.DECISIONS`
   */
  readonly decisions?: string[];

  /**
   * What decides which requests OPA's own API answers.
   *
   * @default - DECISIONS; OFF where a bundle owns everything (`roots: ['']`), since it would erase the generated policy
   */
  readonly authorization?: OpaAuthorization;

  /**
   * Token that clients must send (`Authorization: Bearer …`) to get a decision.
   *
   * @default - no token is asked for
   */
  readonly clientTokenSecret?: SecretKey;

  /**
   * Where decisions are logged.
   *
   * @default - nowhere
   */
  readonly decisionLogs?: OpaDecisionLogs;

  /**
   * Where the state of bundles is reported besides the metrics.
   *
   * @default - nowhere
   */
  readonly status?: OpaStatus;

  /**
   * Labels in decision logs and status, besides `instance`, `node` and `pod`.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * JSON merge patch over the generated configuration. `${VARIABLE}` is replaced by OPA.
   *
   * @default - none
   * @see https://www.openpolicyagent.org/docs/configuration
   */
  readonly config?: any;

  /**
   * Roots of the bundles that `config` names. Required when it names any.
   *
   * @default - none
   */
  readonly configRoots?: string[];

  /**
   * Variables of the container.
   *
   * @default - NODE_NAME, POD_NAME and POD_NAMESPACE
   */
  readonly environment?: Record<string, EnvValue>;

  /**
   * How much OPA logs.
   *
   * @default OpaLogLevel.INFO
   */
  readonly logLevel?: OpaLogLevel;

  /**
   * Further arguments of `opa run`, for what no prop covers.
   *
   * @default - none
   */
  readonly extraArgs?: string[];

  /**
   * Port of the API.
   *
   * @default 8181
   */
  readonly port?: number;

  /**
   * Port of health and metrics.
   *
   * @default 8282
   */
  readonly diagnosticPort?: number;

  /**
   * SecretClass of the server's certificate, for Stackable products that find the agent by its discovery ConfigMap.
   *
   * @default - none
   * @see https://docs.stackable.tech/home/stable/opa/reference/discovery/
   */
  readonly secretClass?: string;
}
