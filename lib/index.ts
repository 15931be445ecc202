export * from './client';
export * from './policy-agent';
