export * from './policy-agent';
