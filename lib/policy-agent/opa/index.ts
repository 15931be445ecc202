export { OpaAuthorization } from './opa-authorization';
export * from './opa-bundle';
export * from './opa-engine';
export * from './opa-engine-props';
export * from './opa-logs';
export * from './opa-remote';
