import { Module } from '@nestjs/common';
import { A2aModule } from '../a2a/index.js';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { AdminAnswers } from './admin-answers.js';
import { BusyAnswers } from './busy-answers.js';
import { AdminBodies } from './admin-bodies.js';
import { AdminRates } from './admin-rates.js';
import { AuditExportController } from './audit-export.controller.js';
import { AuditedChanges } from './audited-changes.js';
import { logOf } from '../common/module-logs.js';

/**
 * What requests and answers of the admin API may take of the process, and the record of what is changed through it;
 * each feature has its own controllers.
 */
@Module({
  imports: [A2aModule, AuditModule, AuthModule],
  controllers: [AuditExportController],
  providers: [logOf('admin'), AdminAnswers, AdminBodies, AdminRates, AuditedChanges, BusyAnswers],
})
export class AdminModule {}
