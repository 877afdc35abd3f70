import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { LimitsModule } from '../limits/index.js';
import { PoliciesModule } from '../policies/index.js';
import { PushModule } from '../push/index.js';
import { SigningModule } from '../signing/index.js';
import { TasksModule } from '../tasks/index.js';
import { DataDeletion } from './data-deletion.js';
import { DataDeletionsController } from './data-deletions.controller.js';
import { DataExport } from './data-export.js';
import { DataExportsController } from './data-exports.controller.js';
import { DataJobStore } from './data-job-store.js';
import { DataJobs } from './data-jobs.service.js';
import { DeletionWorker } from './deletion.worker.js';
import { LeftExports } from './left-exports.js';
import { OwnedKinds } from './owned-kinds.js';
import { SqlDataJobStore } from './persistence/sql-data-job.store.js';
import { Receipts } from './receipts.js';
import { logOf } from '../common/module-logs.js';

/** Export and deletion of all data of an organization or a principal; each feature knows its own (`OwnedData`). */
@Module({
  imports: [
    AgentsModule,
    AuditModule,
    AuthModule,
    LimitsModule,
    PoliciesModule,
    PushModule,
    SigningModule,
    TasksModule,
  ],
  controllers: [DataDeletionsController, DataExportsController],
  providers: [
    logOf('data'),
    { provide: DataJobStore, useClass: SqlDataJobStore },
    DataDeletion,
    DataExport,
    DataJobs,
    DeletionWorker,
    LeftExports,
    OwnedKinds,
    Receipts,
  ],
})
export class DataModule {}
