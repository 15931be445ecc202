import { PREFIX } from '../../../lib/private/labels';

/** Label of what the program makes, for people to select by. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'config-reconciler' };

/** On what the program makes: which one of several it was. Only what carries it is ever written or removed. */
export const MARK = `${PREFIX}/config-reconciler`;
/** On a mirror whose cache has a configuration too long for a resource: its length. */
export const OMITTED = `${PREFIX}/template-omitted`;
/** On any resource: `true` stops all writing for its cache, to the resource and to the server. */
export const PAUSED = `${PREFIX}/paused`;
/** On any resource: `true` makes it nobody's business but the user's. */
export const UNMANAGED = `${PREFIX}/unmanaged`;

/** The program's own finalizer, on resources of users whose removal is to remove the cache. */
export const FINALIZER = `${PREFIX}/remove-cache`;

/** The operator's: a resource of this generation says what the server has already. */
export const LISTENER_GENERATION = 'infinispan.org/listener-generation';
/** The operator's: the resource may go, the cache stays. */
export const LISTENER_DELETE = 'infinispan.org/listener-delete';
/** The operator's: without `LISTENER_DELETE` it removes the cache from the server. */
export const OPERATOR_FINALIZER = 'finalizer.infinispan.org';
