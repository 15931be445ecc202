export * from './cerbos-audit';
export * from './cerbos-engine';
export * from './cerbos-storage';
