import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { Database } from '../../database/database.js';
import { AuditLog } from '../audit-log.js';
import { AuditStore } from '../audit-store.js';
import { AuditExports } from './audit-exports.js';
import type { AuditExport, ExportSender } from './audit-export.js';
import { type ExportMeans, ExportRun } from './export-run.js';
import { ExportStore } from './export-store.js';
import { OtlpSender } from './otlp-sender.js';
import { SyslogSender } from './syslog-sender.js';
import { WebhookSender } from './webhook-sender.js';

/** Sends the audit log to each receiver of `audit.export`, each by itself. */
@Injectable()
export class AuditExporter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly jobs: BackgroundJob[] = [];
  private readonly runs: ExportRun[] = [];
  private readonly means: ExportMeans;

  constructor(
    private readonly declared: AuditExports,
    exports: ExportStore,
    audit: AuditStore,
    own: AuditLog,
    private readonly egress: Egress,
    database: Database,
    ids: IdSource,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const isSole = database.soleProcess;
    this.means = { exports, audit, own, clock, log, ids, owner: ids.next(), isSole };
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const to of await this.declared.all()) {
      const run = new ExportRun(to, this.senderTo(to), this.means);
      const rules = {
        name: `audit export ${to.id}`,
        failure: 'the audit log could not be read for its export; it is tried again',
        ...{ everyMs: 1000, atOnce: true },
        run: (signal: AbortSignal) => run.run(signal),
      };
      const job = new BackgroundJob(rules, this.clock, this.log);
      this.runs.push(run);
      this.jobs.push(job);
      job.start();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
    await Promise.all(this.runs.map((run) => run.release())).catch((err: unknown) =>
      this.log.warn({ err }, 'an export of the audit log could not be handed over'),
    );
  }

  private senderTo(to: AuditExport): ExportSender {
    switch (to.type) {
      case 'webhook':
        return new WebhookSender(to, this.egress, this.clock);
      case 'otlp':
        return new OtlpSender(to, this.egress, this.log);
      case 'syslog':
        return new SyslogSender(to, this.egress);
    }
  }
}
