import type { SchemaPart } from '../../database/schema.js';
import { AuditAnchorEntity } from './audit-anchor.entity.js';
import { AuditEventEntity } from './audit-event.entity.js';
import { AuditExportEntity } from './audit-export.entity.js';
import { AuditExportPlaceEntity } from './audit-export-place.entity.js';
import { Audit1700000000600 } from './migrations/1700000000600-audit.js';
import { AuditExport1700000000860 } from './migrations/1700000000860-audit-export.js';
import { SetAsideEntries1700000000861 } from './migrations/1700000000861-set-aside-entries.js';

export const AUDIT_SCHEMA: SchemaPart = {
  entities: [AuditEventEntity, AuditAnchorEntity, AuditExportEntity, AuditExportPlaceEntity],
  migrations: [Audit1700000000600, AuditExport1700000000860, SetAsideEntries1700000000861],
};
