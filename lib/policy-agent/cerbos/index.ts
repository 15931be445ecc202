export * from './cerbos-audit';
export * from './cerbos-engine';
export * from './cerbos-engine-props';
export * from './cerbos-storage';
export * from './cerbos-storage-options';
