import type { SchemaPart } from '../../database/schema.js';
import { AuditAnchorEntity } from './audit-anchor.entity.js';
import { AuditEventEntity } from './audit-event.entity.js';
import { Audit1700000000600 } from './migrations/1700000000600-audit.js';

export const AUDIT_SCHEMA: SchemaPart = {
  entities: [AuditEventEntity, AuditAnchorEntity],
  migrations: [Audit1700000000600],
};
