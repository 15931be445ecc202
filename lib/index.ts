export * from './cache-cluster';
export * from './policy-agent';
