import type { NextRun } from '../../common/background-job.js';
import type { Clock } from '../../common/clock.js';
import { Deadline } from '../../common/deadline.js';
import type { IdSource } from '../../common/ids.js';
import { isAhead } from '../../common/is-ahead.js';
import type { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import type { AuditLog } from '../audit-log.js';
import type { AuditStore } from '../audit-store.js';
import type { AuditExport, ExportBatch, ExportSender } from './audit-export.js';
import { lineOf } from './entry-line.js';
import type { ExportLease, ExportStore, NotTaken, PendingChain } from './export-store.js';
import { troubleOf } from './export-trouble.js';
import { ExportRefused } from './http-answer.js';

/** How often it is looked for new entries. */
const LOOK_MS = 1000;
/** How often a process that is the only one looks at the chains of those before it, once they are sent. */
const LOOK_AT_ALL_MS = 60_000;
/** A process that has not prolonged its lease for so long has ended. */
const LEASE_MS = 90_000;
/** Bytes of one request, unless one entry alone has more. */
const MAX_BYTES = 512 * 1024;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** What a receiver answers to what it does not want to have: all else may be over at the next attempt. */
const NOT_WANTED: ReadonlySet<number> = new Set([400, 413, 422]);
/** How often it may answer so to one entry, sent alone, before that is set aside. */
const REFUSALS = 5;

/** What a run needs. */
export interface ExportMeans {
  readonly exports: ExportStore;
  readonly audit: Pick<AuditStore, 'chainRows' | 'chainAfter' | 'endOf'>;
  /** Where this process writes; undefined before it has. */
  readonly own: Pick<AuditLog, 'head'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly ids: Pick<IdSource, 'jitter'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** This process, among those that might send. */
  readonly owner: string;
  /** There is no other. */
  readonly isSole: boolean;
}

/**
 * Sends what one receiver has not got yet, each chain in its order; one process at a time. A place is noted after the receiver has
 * acknowledged: what was sent by a process that is killed before that is sent again.
 */
export class ExportRun {
  private hasBegun = false;
  /** Monotonic; 0: it has no lease. */
  private leasedUntil = 0;
  /** Entries in the next request at most: fewer after one that was too large. */
  private size: number;
  /** Monotonic: until then nothing but its own chain is looked at. */
  private sentUntil = 0;
  private lastTrouble: string | undefined;
  /** What was sent last. */
  private tried: ExportBatch | undefined;
  /** The entry, sent alone, that the receiver did not want, and how often. */
  private unwanted = { place: '', count: 0 };

  constructor(
    private readonly to: AuditExport,
    private readonly sender: ExportSender,
    private readonly means: ExportMeans,
  ) {
    this.size = to.batchEntries;
  }

  /** Sends all there is; resolves with when to come again. Rejects when the database fails. */
  async run(signal: AbortSignal): Promise<NextRun> {
    const { exports } = this.means;
    const { id } = this.to;
    await this.begin();
    let pending = await this.pending();
    if (pending.length === 0) return LOOK_MS;
    const state = await exports.state(id);
    let failures = state?.failures ?? 0;
    const nextAttemptAt = state?.nextAttemptAt?.getTime() ?? 0;
    const now = this.means.clock.now().getTime();
    if (isAhead(nextAttemptAt, now, LONGEST_PAUSE_MS)) return nextAttemptAt - now;
    if (!(await this.claim())) return LOOK_MS;
    try {
      // What another process has sent since, it has noted before it lost the lease.
      while ((pending = await this.pending()).length > 0 && !signal.aborted) {
        for (const chain of pending) {
          if (signal.aborted) return undefined;
          if (!(await this.sendFrom(chain, signal))) return LOOK_MS;
          failures = 0;
        }
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof SendError)) throw error;
      return this.failed(error.cause, failures + 1);
    }
    return LOOK_MS;
  }

  /** Lets another process go on at once. */
  async release(): Promise<void> {
    if (this.leasedUntil > this.means.clock.monotonicMs()) {
      await this.means.exports.release(this.to.id, this.means.owner);
    }
  }

  private async begin(): Promise<void> {
    if (this.hasBegun) return;
    const { exports, audit } = this.means;
    const { id, from } = this.to;
    if ((await exports.state(id)) === undefined) {
      const ends: { chain: string; seq: number }[] = [];
      let chain: string | undefined = '';
      while (from === 'now' && (chain = await audit.chainAfter(chain)) !== undefined) {
        await longTurn();
        const end = await audit.endOf(chain);
        if (end !== undefined) ends.push({ chain, seq: end.seq });
      }
      await exports.begin(id, ends);
    }
    this.hasBegun = true;
  }

  /** What is to be sent. Nobody but a process that runs adds to its chain. */
  private async pending(): Promise<readonly PendingChain[]> {
    const { exports, isSole, clock, own } = this.means;
    const { id } = this.to;
    if (isSole && clock.monotonicMs() < this.sentUntil) {
      return own.head === undefined ? [] : exports.pendingOf(id, own.head.chain);
    }
    const pending = await exports.pending(id);
    if (pending.length === 0) this.sentUntil = clock.monotonicMs() + LOOK_AT_ALL_MS;
    return pending;
  }

  /** One request; false when the lease was lost. */
  private async sendFrom({ chain, sent }: PendingChain, signal: AbortSignal): Promise<boolean> {
    await longTurn();
    const { exports, clock } = this.means;
    const { id, timeoutMs } = this.to;
    const batch = await this.batchOf(chain, sent);
    if (batch === undefined) return true;
    // Whoever has slept past its lease must not send any more.
    if (this.leasedUntil - clock.monotonicMs() < 2 * timeoutMs && !(await this.claim()))
      return false;
    let notTaken: NotTaken | undefined;
    if (batch.events.length > 0) {
      const limit = new Deadline(signal, timeoutMs);
      this.tried = batch;
      try {
        notTaken = await this.sender.send(batch, limit.signal);
      } catch (cause) {
        throw new SendError('not sent', { cause });
      } finally {
        limit.end();
      }
    }
    const leasedUntil = clock.monotonicMs() + LEASE_MS;
    const lease = this.newLease();
    const place = { chain, seq: batch.last, count: batch.events.length, setAside: notTaken };
    if (!(await exports.advance(id, lease, place, clock.now()))) {
      this.leasedUntil = 0;
      return false;
    }
    this.leasedUntil = leasedUntil;
    this.size = Math.min(this.to.batchEntries, this.size * 2);
    if (this.lastTrouble !== undefined) {
      this.lastTrouble = undefined;
      this.means.log.info({ export: id }, 'the audit log is sent again');
    }
    return true;
  }

  private async batchOf(chain: string, sent: number): Promise<ExportBatch | undefined> {
    const rows = await this.means.audit.chainRows(chain, sent, this.size);
    let bytes = 0;
    const full = rows.findIndex(({ event }, index) => {
      bytes += event === null ? 0 : Buffer.byteLength(lineOf(event));
      return bytes > MAX_BYTES && index > 0;
    });
    const taken = full < 0 ? rows : rows.slice(0, full);
    const [first, last] = [taken[0]?.seq, taken.at(-1)?.seq];
    if (first === undefined || last === undefined) return undefined;
    const events = taken.flatMap(({ event }) => event ?? []);
    if (events.length < taken.length) {
      const unreadable = taken.length - events.length;
      this.means.log.warn(
        { export: this.to.id, chain, first, last, unreadable },
        'entries that somebody has made unreadable are not sent: verify the audit log',
      );
    }
    return { chain, first, last, events };
  }

  private async failed(error: unknown, failures: number): Promise<number> {
    const { exports, clock, log, owner } = this.means;
    const { id, timeoutMs } = this.to;
    const lastError = troubleOf(error, timeoutMs);
    const requestedMs = error instanceof ExportRefused ? error.waitMs : 0;
    if (error instanceof ExportRefused && NOT_WANTED.has(error.status)) {
      this.size = Math.max(1, Math.floor(this.size / 2));
      await this.setAside(error.message);
    }
    const pauseMs = Math.min(
      LONGEST_PAUSE_MS,
      Math.max(requestedMs, pauseAfter(failures, this.means.ids.jitter())),
    );
    const now = clock.now();
    const nextAttemptAt = new Date(now.getTime() + pauseMs);
    if (lastError !== this.lastTrouble) {
      log.warn({ export: id, why: lastError, nextAttemptAt }, 'the audit log could not be sent');
    }
    this.lastTrouble = lastError;
    await exports.failed(id, owner, { failures, lastError, lastErrorAt: now, nextAttemptAt });
    return pauseMs;
  }

  /** Sets the entry aside that was sent alone, when the receiver has not wanted it for the last time. */
  private async setAside(why: string): Promise<void> {
    const { tried } = this;
    if (tried === undefined || tried.first !== tried.last) return;
    const { chain, last: seq } = tried;
    const place = `${chain} ${seq}`;
    const count = this.unwanted.place === place ? this.unwanted.count + 1 : 1;
    this.unwanted = { place, count };
    if (count < REFUSALS) return;
    const { exports, owner, log } = this.means;
    if (!(await exports.setAside(this.to.id, owner, { chain, seq, why }))) return;
    log.warn(
      { export: this.to.id, chain, seq, why },
      'an entry of the audit log that its receiver refuses is not sent any more',
    );
  }

  private async claim(): Promise<boolean> {
    const { exports, isSole, clock } = this.means;
    const leasedUntil = clock.monotonicMs() + LEASE_MS;
    const isMine = await exports.claim(this.to.id, this.newLease(), clock.now(), isSole);
    this.leasedUntil = isMine ? leasedUntil : 0;
    return isMine;
  }

  private newLease(): ExportLease {
    const { owner, clock } = this.means;
    return { owner, until: new Date(clock.now().getTime() + LEASE_MS) };
  }
}

/** The receiver failed, and not the database. */
class SendError extends Error {}

/** Twice as long after each failure, and anything between the half and the whole of it. `random` is in [0, 1). */
export function pauseAfter(failures: number, random: number): number {
  const whole = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(20, failures - 1));
  return Math.round(whole * (0.5 + random / 2));
}
