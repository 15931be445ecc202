export * from './affinity-options';
export * from './authz-client-affinity';
export * from './ca-bundle';
export * from './policy-client-options';
