export * from './cache-client-options';
