export * from './cache-configuration';
export * from './cache-configuration-options';
export * from './cache-store';
export { CacheConfigurationFormat } from './format';
