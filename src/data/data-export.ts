import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { IdSource } from '../common/ids.js';
import { jsonInTurns } from '../common/json-in-turns.js';
import { Log } from '../common/logger.js';
import type { DataJob } from './data-job.js';
import { DataJobStore, type ExportReading, NOT_READ } from './data-job-store.js';
import { HeldLease, type LeaseEnd, leaseUntil } from './held-lease.js';
import { OwnedKinds } from './owned-kinds.js';
import { Progress } from './progress.js';
import { Receipts } from './receipts.js';

/** Exports that this process writes at once: each holds one task in memory. */
const AT_ONCE = 2;
/** Bytes of lines that leave together. */
const BLOCK = 64 * 1024;
/** A reader that takes nothing for so long has left. */
const STALLED_MS = 2 * 60 * 1000;
const NOTE_EVERY_MS = 1000;
const LINE_END = Buffer.from('\n');

/** An export that is about to be read. */
export interface OpenExport {
  /** The lines, which end early, with an error, when they are not to be read on. */
  readonly lines: AsyncGenerator<Buffer>;
  /** To be called once nobody reads them any more, whether they were read or not. */
  readonly left: () => void;
}

/** Writes the data of an owner as newline-delimited JSON, a record a line, and signs what it has written. */
@Injectable()
export class DataExport {
  private reading = 0;

  constructor(
    private readonly store: DataJobStore,
    private readonly kinds: OwnedKinds,
    private readonly receipts: Receipts,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly ids: IdSource,
  ) {}

  /**
   * Rejects with CONFLICT for one that was canceled and with UNAVAILABLE when this process writes as many as it may. The lines
   * end early, with an error, when `ended` is aborted, as it is when nobody reads.
   */
  async open(job: DataJob, ended: AbortController): Promise<OpenExport> {
    if (this.reading >= AT_ONCE) {
      throw new HubError('UNAVAILABLE', 'This process writes as many exports as it may.', {
        metadata: { retryAfterSeconds: '30' },
      });
    }
    this.reading += 1;
    try {
      const startedAt = this.clock.now();
      const until = leaseUntil(this.clock);
      const reading = { id: job.id, reader: this.ids.next() };
      if (!(await this.store.begin(reading, startedAt, until))) throw canceled();
      return this.opened({ ...job, startedAt }, reading, until, ended);
    } catch (error) {
      this.reading -= 1;
      throw error;
    }
  }

  private opened(
    job: DataJob,
    reading: ExportReading,
    until: Date,
    ended: AbortController,
  ): OpenExport {
    const progress = new Progress();
    // A reader may take nothing for longer than the lease.
    const lease = new HeldLease(this.clock, until, (next) =>
      this.store.note(reading, progress.value, next),
    );
    const lost = (): void => ended.abort(lossOf(lease));
    lease.isLost.addEventListener('abort', lost);
    // It may have taken longer than the lease to begin.
    if (lease.isLost.aborted) lost();
    return {
      lines: this.write(job, reading, progress, lease, ended),
      left: () => {
        this.reading -= 1;
        void lease.stop();
        // Lines of which none was asked for end nothing themselves; those that were all taken have ended it.
        void this.notRead(reading, progress);
      },
    };
  }

  private async *write(
    job: DataJob,
    reading: ExportReading,
    progress: Progress,
    lease: HeldLease,
    ended: AbortController,
  ): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const block of this.blocks(job, progress, lease, ended)) {
      hash.update(block);
      yield* this.taken(block, ended);
    }
    ended.signal.throwIfAborted();
    const now = this.clock.now();
    const sha256 = hash.digest('hex');
    const receipt = await this.receipts.sign(job, progress.value, now, sha256);
    const end = { state: 'done', progress: progress.value, error: null, receipt } as const;
    if (!(await this.store.end(reading, end, now))) throw canceled();
    yield Buffer.from(`${JSON.stringify({ kind: 'end', sha256, receipt })}\n`);
  }

  /** The lines, several of the short ones together. */
  private async *blocks(
    { owner }: DataJob,
    progress: Progress,
    lease: HeldLease,
    ended: AbortController,
  ): AsyncGenerator<Buffer> {
    let pending: Buffer[] = [];
    let size = 0;
    let notedAt = 0;
    for (const kind of this.kinds.all) {
      progress.counted(kind.kind, await this.kinds.count(kind, owner));
      for await (const each of this.kinds.ownersFor(kind, owner)) {
        for await (const records of kind.records(each)) {
          for (const record of records) {
            ended.signal.throwIfAborted();
            const parts = [
              ...(await jsonInTurns({ kind: kind.kind, record: plain(record) })),
              LINE_END,
            ];
            for (const part of parts) size += pending[pending.push(part) - 1]!.length;
            progress.done(kind.kind, 1);
            if (size < BLOCK) continue;
            yield* size < 2 * BLOCK ? [Buffer.concat(pending)] : pending;
            [pending, size] = [[], 0];
          }
          const now = this.clock.now().getTime();
          if (Math.abs(now - notedAt) < NOTE_EVERY_MS) continue;
          notedAt = now;
          if (!(await lease.renew())) throw lossOf(lease);
        }
      }
    }
    if (size > 0) yield Buffer.concat(pending);
  }

  private *taken(block: Buffer, ended: AbortController): Generator<Buffer> {
    const taken = this.clock.after(STALLED_MS, () =>
      ended.abort(new HubError('UNAVAILABLE', 'The reader of the export took nothing for long.')),
    );
    try {
      yield block;
    } finally {
      taken();
    }
    ended.signal.throwIfAborted();
  }

  private async notRead(reading: ExportReading, progress: Progress): Promise<void> {
    const { value } = progress;
    const end = { state: 'failed', progress: value, error: NOT_READ, receipt: null } as const;
    try {
      await this.store.end(reading, end, this.clock.now());
    } catch (err) {
      this.log.warn({ err, job: reading.id }, 'the end of an export could not be stored');
    }
  }
}

function canceled(): HubError {
  return new HubError('CONFLICT', 'The export was canceled.');
}

/** Nobody else reads on where an export ends early: one that is read is taken only by who cancels it. */
function lossOf({ isLost }: HeldLease): HubError {
  const end = isLost.reason as LeaseEnd;
  if (end === 'taken') return canceled();
  return new HubError(
    'UNAVAILABLE',
    'The hub could not store that the export is being read: read it again.',
  );
}

/** Dates as JSON has them: what is written in turns writes no dates. */
function plain(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ]),
  );
}
