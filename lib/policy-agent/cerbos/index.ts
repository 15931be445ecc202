export {
  CerbosAudit, CerbosAuditOptions, CerbosKafkaAuditOptions, CerbosLocalAuditOptions,
} from './cerbos-audit';
export * from './cerbos-engine';
export * from './cerbos-storage';
