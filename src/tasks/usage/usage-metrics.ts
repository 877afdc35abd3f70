import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiskWatch } from '../../database/disk-watch.js';
import { WorkerWatch } from '../../database/worker-watch.js';
import { Metrics } from '../../observability/metrics.js';
import { UsageLedger } from './usage-ledger.js';

/** What all tasks take, who works on them, and the room that is left, as numbers. */
@Injectable()
export class UsageMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly ledger: UsageLedger,
    private readonly disk: DiskWatch,
    private readonly workers: WorkerWatch,
  ) {}

  onModuleInit(): void {
    const { metrics, ledger, disk, workers } = this;
    metrics.gauge(
      'workers',
      'Running worker processes of the whole hub; 0: tasks and webhooks wait.',
      [],
      (give) => {
        if (workers.count !== undefined) give({}, workers.count);
      },
    );
    metrics.gauge('tasks_open', 'Tasks that have not ended, over the whole hub.', [], (give) =>
      give({}, ledger.total().openTasks),
    );
    metrics.gauge(
      'stored_bytes',
      'Bytes stored of tasks, as quotas count them, over the whole hub.',
      [],
      (give) => give({}, ledger.total().storedBytes),
    );
    metrics.gauge(
      'disk_bytes',
      'Disk space of the database (SQLite only): free on the disk, reusable in the file, used.',
      ['kind'],
      (give) => {
        if (disk.space === null) return;
        for (const [kind, bytes] of Object.entries(disk.space)) give({ kind }, bytes as number);
      },
    );
    metrics.gauge(
      'disk_low',
      '1 while new tasks are refused because the disk is almost full.',
      [],
      (give) => give({}, disk.isLow ? 1 : 0),
    );
    const refusals = metrics.counter(
      'quota_refusals_total',
      'Tasks and messages refused because a quota is used up, by quota.',
      ['quota'],
    );
    ledger.onRefused((quota) => refusals.inc({ quota }));
  }
}
