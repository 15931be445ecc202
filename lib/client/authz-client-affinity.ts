import { ApiObject } from 'cdk8s';
import { Construct, IConstruct, IMixin } from 'constructs';
import { addAffinity } from './add-affinity';
import { ClientAffinityOptions } from './affinity-options';
import { termsFor } from './affinity-terms';
import { checkAffinityOptions } from './check-affinity-options';
import { clientKindOf } from './client-kinds';
import { findClient } from './find-client';
import { changeLate, LateChange } from './late-changes';
import { hasPlace, mapResources, mayMakePods, nameOf, objectsIn, selects } from './resources';
import { catalogsOf } from './trino-catalogs';
import type { IPolicyAgent } from '../policy-agent/i-policy-agent';
import { CLIENT_METADATA } from '../private/labels';
import { Json } from '../private/merge';
import { locateErrors, warn } from '../private/messages';

/** Properties for `AuthzClientAffinity`. */
export interface AuthzClientAffinityProps extends ClientAffinityOptions {
  /** The agent that the clients ask. */
  readonly agent: IPolicyAgent;

  /**
   * Print each client that is found, and why, to standard error. They are listed as metadata of the construct in any case
   * (type `cdk8s-platform-services/client`).
   *
   * @default false
   */
  readonly printClients?: boolean;
}

/**
 * Draws the clients of an agent to it: each workload and custom resource within the scope that refers to the agent (by its
 * discovery ConfigMap, by the setting of its operator, or by the label `cdk8s-platform-services/policy-agent`) gets preferred
 * affinity to the agent's pods, those that are added later included. Nothing else of them is changed.
 *
 * Errors: an agent in the pods of its clients. Warning: no client was found.
 */
export class AuthzClientAffinity extends Construct {
  /** A mixin that draws the clients to their agent that exist when it is applied: `chart.with(AuthzClientAffinity.mixin({ agent }))`. */
  public static mixin(props: AuthzClientAffinityProps): IMixin {
    checkProps(props);
    return new AffinityMixin(props);
  }

  public constructor(scope: Construct, id: string, props: AuthzClientAffinityProps) {
    super(scope, id);
    locateErrors(this, () => checkProps(props));
    changeLate(this, new FoundClients(this, props, () => objectsIn(scope).filter(mayMakePods)));
  }
}

function checkProps({ agent, ...options }: AuthzClientAffinityProps) {
  checkAffinityOptions(options);
  if (!agent.isSidecar) return;
  throw new Error(`agent ${agent.instanceName} has no pods to be near, since its deploymentMode is Sidecar: name its clients by addClient, which puts it into their pods`);
}

class AffinityMixin implements IMixin {
  private readonly applied = new Map<IConstruct, Set<ApiObject>>();

  constructor(private readonly props: AuthzClientAffinityProps) {}

  public supports(construct: IConstruct): boolean {
    return ApiObject.isApiObject(construct) || construct.node.children.length > 0;
  }

  /** A mixin is no construct, so the app reports what is wrong. */
  public applyTo(construct: IConstruct) {
    const { root } = construct.node;
    let objects = this.applied.get(root);
    if (!objects) {
      const known = new Set<ApiObject>();
      this.applied.set(root, objects = known);
      changeLate(root, new FoundClients(root, this.props, () => [...known]));
    }
    if (ApiObject.isApiObject(construct) && mayMakePods(construct)) objects.add(construct);
  }
}

/** The change of the clients that say so themselves. */
class FoundClients implements LateChange {
  private readonly seen = new Set<ApiObject>();
  private found = 0;
  private checked = false;

  constructor(private readonly owner: IConstruct, private readonly props: AuthzClientAffinityProps, public readonly objects: () => ApiObject[]) {}

  public change(json: Json, object: ApiObject): Json {
    const again = this.seen.has(object);
    this.seen.add(object);
    return mapResources(json, (resource) => {
      const name = `${object.node.path} (${nameOf(resource)})`;
      try {
        return this.changeResource(resource, object, (type, message) => again || this.report(type, `${name}: ${message}`));
      } catch (error) {
        throw new Error(`client ${name}: ${(error as Error).message}`);
      }
    });
  }

  public check(): string[] {
    const { agent } = this.props;
    if (this.found === 0 && !this.checked) {
      warn(this.owner, `no client of agent ${agent.instanceName} was found: none refers to its discovery ConfigMap or has the label; name clients by addClient, or leave this out`);
    }
    this.checked = true;
    return [];
  }

  private changeResource(resource: Json, object: ApiObject, report: (type: 'client' | 'warning', message: string) => void): Json {
    const { agent } = this.props;
    const kind = clientKindOf(resource);
    if (!kind || object.node.scopes.some((scope) => scope === agent as unknown)) return resource;
    const finding = findClient(resource, kind, agent);
    const places = kind.places.filter((place) => place.asks !== false && !place.onlyNamed && hasPlace(resource, place));
    if (!finding || places.length === 0 || selects(agent, resource, places)) return resource;
    if (finding.inDoubt) {
      report('warning', `${finding.reason}, but nobody can tell at synth whether that is agent ${agent.instanceName}: give both, or none, a namespace, or name the client by addClient`);
      return resource;
    }
    report('client', finding.reason);
    const terms = termsFor(agent, resource.metadata?.namespace, this.props);
    const context = { terms, catalogs: () => catalogsOf(object), warn: (message: string) => report('warning', message) };
    return places.reduce((result, place) => addAffinity(result, place, context), resource);
  }

  private report(type: 'client' | 'warning', message: string) {
    if (type === 'warning') {
      warn(this.owner, message);
      return;
    }
    this.found++;
    this.owner.node.addMetadata(CLIENT_METADATA, message);
    if (this.props.printClients) process.stderr.write(`[client] [${this.owner.node.path}] ${message}\n`);
  }
}
