export * from './config-policies';
export * from './config-reconciler';
export * from './config-reconciler-props';
export * from './config-reconciling';
export * from './reconciled-cluster-options';
