import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AuditLog, ownEntry } from '../audit/index.js';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { withFirstOf } from '../common/with-first-of.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { DataDeletion } from './data-deletion.js';
import type { DataJob } from './data-job.js';
import { type DataJobEnd, DataJobStore } from './data-job-store.js';
import { HeldLease, leaseUntil } from './held-lease.js';
import { Progress } from './progress.js';
import { Receipts } from './receipts.js';

/** How often it looks for deletions that no process works on; one small query. */
const LOOK_EVERY_MS = 5000;
/** When a deletion that could not go on is tried again; others do not wait for it. */
const AGAIN_MS = 30_000;
const GOES_ON_LATER = 'It could not go on and is tried again: the log of the hub says why.';
/** Progress is written so often at most. */
const NOTE_EVERY_MS = 500;

/** The job is another's, was canceled, or the process stops. */
class NotMine extends Error {}

/** Works on deletions, one after the other, in every role but `api`. Whichever process claims one that was left goes on with it. */
@Injectable()
export class DeletionWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  private readonly runner: string;

  constructor(
    private readonly store: DataJobStore,
    private readonly deletion: DataDeletion,
    private readonly receipts: Receipts,
    private readonly audit: AuditLog,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly config: AppConfig,
    ids: IdSource,
  ) {
    this.runner = ids.next();
    const rules = {
      name: 'deletions of data',
      failure: 'a deletion of data could not go on; it is tried again',
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.workAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    // The lock of the file proves that no other process works on them.
    if (this.database.soleProcess) await this.store.releaseOthers(this.runner);
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** There is a deletion to work on. */
  wake(): void {
    this.job.wake();
  }

  private async workAll(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    while (!signal.aborted) {
      const until = leaseUntil(this.clock);
      const job = await this.store.claim(this.runner, this.clock.now(), until);
      if (job === undefined) break;
      await this.work(job, until, signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  private async work(job: DataJob, until: Date, signal: AbortSignal): Promise<void> {
    const progress = new Progress(job.progress);
    // Some steps take longer than the lease.
    const lease = new HeldLease(this.clock, until, (next) =>
      this.store.renew(job.id, this.runner, progress.value, next),
    );
    await withFirstOf([signal, lease.isLost], (stop) =>
      this.workLeased(job, progress, lease, stop),
    );
  }

  private async workLeased(
    job: DataJob,
    progress: Progress,
    lease: HeldLease,
    stop: AbortSignal,
  ): Promise<void> {
    let notedAt = 0;
    const renew = async (isNoted = false): Promise<void> => {
      if (stop.aborted) throw new NotMine();
      const now = this.clock.now().getTime();
      if (!isNoted && Math.abs(now - notedAt) < NOTE_EVERY_MS) return;
      notedAt = now;
      if (!(await lease.renew())) throw new NotMine();
    };
    try {
      const left = await this.deletion.run(job, progress, renew, stop);
      await this.end(job, progress, left);
    } catch (error) {
      await lease.stop();
      const { value } = progress;
      if (error instanceof NotMine) {
        // Free for whoever looks next.
        await this.store.renew(job.id, this.runner, value, new Date(0));
        return;
      }
      const again = new Date(this.clock.now().getTime() + AGAIN_MS);
      // The database itself may be away: the lease ends then.
      await this.store
        .postpone(job.id, this.runner, value, again, GOES_ON_LATER)
        .catch(() => undefined);
      throw error;
    } finally {
      await lease.stop();
    }
  }

  private async end(
    job: DataJob,
    progress: Progress,
    left: ReadonlyMap<string, number>,
  ): Promise<void> {
    const now = this.clock.now();
    const isDone = left.size === 0;
    const end: DataJobEnd = {
      state: isDone ? 'done' : 'failed',
      progress: progress.value,
      error: isDone
        ? null
        : `Something is left: ${[...left].map(([kind, n]) => `${n} ${kind}`).join(', ')}. Begin the deletion again; if something is left then too, look in the log for what still writes it.`,
      receipt: isDone ? await this.receipts.sign(job, progress.value, now) : null,
    };
    const resource = { type: 'data.deletions', id: job.id };
    const entry = ownEntry('data.deletions.end', isDone ? 'succeeded' : 'failed', resource, {});
    const { store, runner } = this;
    const ended = await this.audit.recordFrom(function* (tx) {
      return (yield* store.endIn(tx, job.id, runner, end, now)) ? [entry] : [];
    });
    if (ended === 0) return;
    this.log.info({ job: job.id, state: end.state }, 'a deletion of data has ended');
  }
}
