import { Global, Module } from '@nestjs/common';
import type { Clock } from '../common/clock.js';
import type { IdSource } from '../common/ids.js';
import { AppConfig } from '../config/index.js';
import type { Database } from '../database/database.js';
import { HubSettings } from '../database/hub-settings.js';
import { SigningModule } from '../signing/index.js';
import { AnchorCheck } from './anchor-check.js';
import { AuditAnchors } from './audit-anchors.js';
import { AuditController } from './audit.controller.js';
import { AuditLog } from './audit-log.js';
import { AuditRedaction } from './audit-redaction.js';
import { AuditReader } from './audit-reader.js';
import { AuditRetention } from './audit-retention.js';
import { AuditStore } from './audit-store.js';
import { AuditVerifier } from './audit-verifier.js';
import { AuditExporter } from './export/audit-exporter.js';
import { AuditExports } from './export/audit-exports.js';
import { ExportStore } from './export/export-store.js';
import { ExportsController } from './export/exports.controller.js';
import { SqlAuditLog } from './persistence/sql-audit-log.js';
import { SqlAuditStore } from './persistence/sql-audit.store.js';
import { SqlExportStore } from './persistence/sql-export.store.js';
import { Refusals } from './refusals.js';
import { logOf } from '../common/module-logs.js';

/** The audit log in a database, for a command that runs without the hub: a chain of its own. */
export const auditLogIn = (
  database: Database,
  clock: Clock,
  ids: IdSource,
  { redact }: AppConfig['audit'],
): AuditLog => new SqlAuditLog(database, clock, ids, AuditRedaction.withoutPrincipals(redact));

/**
 * The record of who did what. The {@link PrincipalNames} come from the root module, under its global token: without it
 * the hub does not start.
 */
@Global()
@Module({
  imports: [SigningModule],
  controllers: [AuditController, ExportsController],
  providers: [
    logOf('audit'),
    { provide: AuditLog, useClass: SqlAuditLog },
    { provide: AuditStore, useClass: SqlAuditStore },
    { provide: ExportStore, useClass: SqlExportStore },
    AuditExports,
    AuditExporter,
    AuditAnchors,
    AnchorCheck,
    AuditRetention,
    AuditVerifier,
    AuditReader,
    {
      provide: AuditRedaction,
      inject: [AppConfig, HubSettings],
      useFactory: ({ audit }: AppConfig, settings: HubSettings) =>
        new AuditRedaction(audit.redact, () => settings.principalDigestKey()),
    },
    Refusals,
  ],
  exports: [AuditLog, AuditReader, Refusals],
})
export class AuditModule {}
