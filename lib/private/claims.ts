import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';

/** Of what an app may have one only: names in a cluster, and places on nodes. */
export enum ClaimKind {
  /** Kind, namespace and name of an object. */
  NAME = 'NAME',

  /** A port, or the directory of a socket, on every node. */
  NODE_ENDPOINT = 'NODE_ENDPOINT',

  /** A cache, schema or the like on the servers of a cluster. */
  SERVER_NAME = 'SERVER_NAME',

  /** The one who keeps resources and servers of a cluster in step. */
  RECONCILER = 'RECONCILER',
}

const WAYS_OUT: Record<ClaimKind, string> = {
  [ClaimKind.NAME]: 'give one of them another instanceName or namespace; if they go to different clusters, acknowledge SEVERAL_CLUSTERS in each',
  [ClaimKind.NODE_ENDPOINT]: 'if they stand on different nodes, acknowledge SHARED_NODE_ENDPOINTS in each',
  [ClaimKind.SERVER_NAME]: 'declare it once',
  [ClaimKind.RECONCILER]: 'two would fight; let one of them serve it',
};

interface Claim {
  readonly kind: ClaimKind;
  readonly what: string;
  readonly owners: IConstruct[];
}

const perRoot = new WeakMap<IConstruct, Claims>();

/** What the constructs of this library claim in an app. */
export class Claims {
  public static of(scope: IConstruct): Claims {
    const { root } = scope.node;
    let claims = perRoot.get(root);
    if (!claims) perRoot.set(root, claims = new Claims());
    return claims;
  }

  private readonly claims = new Map<string, Claim>();
  /** The few that have more than one owner: checks look at nothing else. */
  private readonly contested = new Set<Claim>();

  public claimName(object: ApiObject) {
    const { namespace } = object.metadata;
    this.claim(ClaimKind.NAME, `${object.kind} ${object.name}${namespace ? ` in namespace ${namespace}` : ''}`, object);
  }

  public claim(kind: ClaimKind, what: string, owner: IConstruct) {
    const claim = this.claims.get(what);
    if (claim) {
      claim.owners.push(owner);
      this.contested.add(claim);
    } else {
      this.claims.set(what, { kind, what, owners: [owner] });
    }
  }

  /** What constructs within the scope claim that another one claims, too; with the way out. */
  public conflicts(scope: IConstruct, passedOver: ClaimKind[]): string[] {
    return [...this.contested].flatMap(({ kind, what, owners }) => {
      const present = owners.filter(isInTree);
      if (present.length < 2 || passedOver.includes(kind) || !present.some((owner) => owner.node.scopes.includes(scope))) return [];
      return [`${what} is claimed more than once in this app, by ${present.map((owner) => owner.node.path).join(' and ')}: ${WAYS_OUT[kind]}`];
    });
  }
}

/** Whether a construct is still part of its app: children can be removed. */
function isInTree({ node }: IConstruct): boolean {
  return node.scopes.every((scope) => !scope.node.scope || scope.node.scope.node.tryFindChild(scope.node.id) === scope);
}
