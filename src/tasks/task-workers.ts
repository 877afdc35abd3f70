import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppConfig } from '../config/index.js';
import { WorkerWatch } from '../database/worker-watch.js';
import { TaskAudit } from './audit/task-audit.js';
import { TaskCleanup } from './cleanup/task-cleanup.js';
import { TaskRunner } from './runner/task-runner.js';
import { QueueDepth } from './capacity/queue-depth.js';
import { UsageLedger } from './quotas/usage-ledger.js';

/**
 * Runs the task runner and the cleanup with the application, in every role but `api`. On SQLite the
 * lock of the file proves that no other process is at work: what the last one left is adopted at once.
 * In every role it is known from then on who works.
 */
@Injectable()
export class TaskWorkers implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly runner: TaskRunner,
    private readonly cleanup: TaskCleanup,
    private readonly queueDepth: QueueDepth,
    private readonly usage: UsageLedger,
    private readonly audit: TaskAudit,
    private readonly config: AppConfig,
    private readonly workers: WorkerWatch,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.usage.start();
    // A worker chooses no agents: what others have at work is of no use to it.
    await this.queueDepth.start(this.config.role === 'worker' ? null : this.runner.owner);
    if (this.config.role !== 'api') {
      await this.runner.start();
      this.cleanup.start();
      this.audit.start();
    }
    await this.workers.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.queueDepth.stop(), this.workers.stop()]);
    await Promise.all([this.runner.stop(), this.cleanup.stop(), this.usage.stop()]);
    await this.audit.stop();
  }
}
