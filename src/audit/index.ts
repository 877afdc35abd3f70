export { AnchorOrderModule } from './anchor-order.module.js';
export {
  type AuditActor,
  type AuditEntry,
  type AuditedDelegation,
  NO_CALLER,
  ownEntry,
} from './audit-entry.js';
export { nameOf, PRINCIPAL_NAME, PrincipalNames } from './principal-names.js';
export { AuditEventDto, AuditFilterDto, filterOf } from './audit.dto.js';
export { AuditLog } from './audit-log.js';
export { audited, type AuditedChange, ownChange } from './audited.js';
export { AuditModule, auditLogIn } from './audit.module.js';
export { AuditReader } from './audit-reader.js';
export type { AuditFilter } from './audit-store.js';
export type { AuditEvent } from './domain/audit-event.js';
export { actorOf } from './audited-caller.js';
export { readDeclaredExports } from './export/declared-exports.js';
export { Refusals } from './refusals.js';
export { RetentionRecord } from './retention-record.js';
