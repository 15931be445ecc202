export * from './cache-cluster';
export * from './client';
export * from './policy-agent';
