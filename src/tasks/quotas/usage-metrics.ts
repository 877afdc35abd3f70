import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiskWatch } from '../../database/disk-watch.js';
import { WorkerWatch } from '../../database/worker-watch.js';
import { RequestRates } from '../../limits/index.js';
import { Metrics } from '../../observability/metrics.js';
import { LimitLevels } from '../store/limit-levels.js';
import { UsageLedger } from './usage-ledger.js';

/** What all tasks take, who works on them, and the room that is left, as numbers. */
@Injectable()
export class UsageMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly ledger: UsageLedger,
    private readonly disk: DiskWatch,
    private readonly workers: WorkerWatch,
    private readonly limits: LimitLevels,
    private readonly rates: RequestRates,
  ) {}

  onModuleInit(): void {
    const { metrics, ledger, disk, workers } = this;
    metrics.gauge(
      'workers',
      'Worker processes of the whole hub; at 0 no task is run and no webhook is delivered.',
      [],
      (give) => {
        if (workers.count !== undefined) give({}, workers.count);
      },
    );
    metrics.gauge('tasks_open', 'Open tasks of the whole hub.', [], (give) =>
      give({}, ledger.total().openTasks),
    );
    metrics.gauge(
      'stored_bytes',
      'Bytes stored for tasks of the whole hub, as quotas count them.',
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
      'Tasks, messages and requests refused because a quota is used up, by quota.',
      ['quota'],
    );
    ledger.onRefused((quota) => refusals.inc({ quota }));
    this.limits.onRefused((quota) => refusals.inc({ quota }));
    this.rates.onRefused((quota) => refusals.inc({ quota }));
    metrics.gauge(
      'request_rates_apart',
      '1 while this process keeps its part of the limits of requests a second by itself, because the database is away.',
      [],
      (give) => give({}, this.rates.isApart ? 1 : 0),
    );
  }
}
