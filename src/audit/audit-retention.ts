import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock, DAY_MS } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { longTurn } from '../common/long-work.js';
import { AppConfig } from '../config/index.js';
import { AuditExports } from './export/audit-exports.js';
import { AuditAnchors } from './audit-anchors.js';
import { AuditLog } from './audit-log.js';
import { AuditStore } from './audit-store.js';
import { ownEntry } from './audit-entry.js';
import { RetentionRecord } from './retention-record.js';
import type { Anchor } from './domain/anchor.js';
import { CHAIN_START, type ChainPlace } from './domain/audit-event.js';

const EVERY_MS = 60 * 60 * 1000;
/** Entries that are looked at, or deleted, in one piece. */
const PIECE = 250;
/** Anchors that are due are left until there are so many: what replaces them are anchors, too. */
const MANY_ANCHORS = 1000;

/**
 * Deletes what has been kept for `audit.retention`, from the beginning of each chain. A signed anchor says first up to
 * where: what anybody else deletes has none, and so shows.
 */
@Injectable()
export class AuditRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  private readonly days: number;
  private readonly graceMs: number;
  private readonly deleted: RetentionRecord;
  /** What exports have missed, until the audit log says so. */
  private missed: { readonly exportId: string; readonly count: number }[] = [];

  constructor(
    private readonly audit: AuditLog,
    private readonly store: AuditStore,
    private readonly anchors: AuditAnchors,
    private readonly clock: Clock,
    private readonly log: Log,
    { audit: { retentionDays, exportGraceDays } }: AppConfig,
    @Inject(AuditExports)
    private readonly exports: Pick<AuditExports, 'sentByAll' | 'passOver' | 'forgetEndedChains'>,
  ) {
    this.days = retentionDays;
    this.deleted = new RetentionRecord(audit, 'audit');
    this.graceMs = exportGraceDays * DAY_MS;
    const rules = {
      name: 'audit retention',
      failure: 'deleting old audit entries failed; it is tried again',
      everyMs: EVERY_MS,
      run: (signal: AbortSignal) => this.run(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.days > 0) this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** Deletes all that is due. Ends early when `signal` aborts; what is left is deleted by the next run. */
  async run(signal?: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.days * DAY_MS);
    await this.deleted.of(before, async () => {
      await this.recordMissed();
      let chain: string | undefined = '';
      while ((chain = await this.store.chainAfter(chain)) !== undefined && !signal?.aborted) {
        await this.cut(chain, before, signal);
      }
      await this.cutAnchors(before, signal);
      await this.exports.forgetEndedChains();
    });
  }

  private async cut(chain: string, before: Date, signal?: AbortSignal): Promise<void> {
    const last = await this.store.lastAnchorOf(chain, 'cut');
    const from = last === undefined ? CHAIN_START : { seq: last.seq, hash: last.chainHash };
    const end = await this.endOfKept(chain, from, before, signal);
    if (end.seq > from.seq) await this.anchors.add('cut', chain, end);
    for (let piece = PIECE; piece === PIECE && end.seq > 0 && !signal?.aborted;) {
      await longTurn();
      piece = await this.store.deleteUpTo(chain, end.seq, PIECE);
      this.deleted.add(piece);
    }
  }

  /**
   * Up to where a chain is to be deleted: what is due and exported, and what is due for so long that the exports are not
   * waited for any more.
   */
  private async endOfKept(
    chain: string,
    from: ChainPlace,
    before: Date,
    signal?: AbortSignal,
  ): Promise<ChainPlace> {
    const sent = await this.exports.sentByAll(chain);
    const exported = await this.endOfDue(chain, from, before, sent, signal);
    const longBefore = new Date(before.getTime() - this.graceMs);
    const overdue = await this.endOfDue(chain, exported, longBefore, Infinity, signal);
    if (overdue.seq > from.seq) await this.passOver(chain, overdue.seq);
    return overdue;
  }

  private async passOver(chain: string, seq: number): Promise<void> {
    for (const { exportId, count } of await this.exports.passOver(chain, seq)) {
      this.log.error(
        { export: exportId, chain, count },
        'entries of the audit log are deleted although they could not be exported',
      );
      this.missed.push({ exportId, count });
    }
    await this.recordMissed();
  }

  private async recordMissed(): Promise<void> {
    for (let next = this.missed[0]; next !== undefined; next = this.missed[0]) {
      const { exportId, count } = next;
      const details = { by: 'retention', count, reason: 'deleted before they were exported' };
      const resource = { type: 'audit.exports', id: exportId };
      await this.audit.record(ownEntry('audit.export', 'failed', resource, details));
      this.missed.shift();
    }
  }

  /** Up to the last entry that is due, with none before it that is not, and at most so far. */
  private async endOfDue(
    chain: string,
    from: ChainPlace,
    before: Date,
    most: number,
    signal?: AbortSignal,
  ): Promise<ChainPlace> {
    const now = this.clock.now();
    let end = from;
    for (let after = from.seq; ;) {
      await longTurn();
      const places = await this.store.placesAfter(chain, after, PIECE);
      for (const place of places) {
        const age = ageOf(place, before, now);
        if (age === 'kept' || place.seq > most) return end;
        if (age === 'due') end = place;
      }
      after = places.at(-1)?.seq ?? after;
      if (places.length < PIECE || signal?.aborted) return end;
    }
  }

  /** Deletes the oldest anchors; what they say that still counts is said once more first. */
  private async cutAnchors(before: Date, signal?: AbortSignal): Promise<void> {
    const old = await this.store.anchorsAfter(0, MANY_ANCHORS);
    const last = old.at(-1);
    if (last === undefined || old.length < MANY_ANCHORS || signal?.aborted) return;
    if (!(await this.areDue(old, before, signal))) return;
    for (const { kind, chain, seq, chainHash, number } of old) {
      if (kind !== 'cut' || (await this.store.endOf(chain)) === undefined) continue;
      const newest = await this.store.lastAnchorOf(chain, 'cut');
      if (newest?.number === number) await this.anchors.add('cut', chain, { seq, hash: chainHash });
    }
    await this.anchors.add('floor', '', { seq: last.number, hash: last.hash });
    for (let piece = PIECE; piece === PIECE && !signal?.aborted;) {
      await longTurn();
      piece = await this.store.deleteAnchorsUpTo(last.number, PIECE);
    }
  }

  /** Whether all of these anchors are due; of those at their end whose time says nothing, the next ones say it. */
  private async areDue(
    anchors: readonly Anchor[],
    before: Date,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const now = this.clock.now();
    if (anchors.some((anchor) => ageOf(anchor, before, now) === 'kept')) return false;
    for (let piece = anchors.slice(-1); !signal?.aborted;) {
      const said = piece.find((anchor) => ageOf(anchor, before, now) !== 'unknown');
      if (said !== undefined) return ageOf(said, before, now) === 'due';
      const last = piece.at(-1);
      if (last === undefined) return false;
      await longTurn();
      piece = [...(await this.store.anchorsAfter(last.number, PIECE))];
    }
    return false;
  }
}

/**
 * Whether something is due by its time. A time later than now is from a clock that was ahead, and says nothing: it would keep
 * what comes after it for as long as it is ahead. Due is what has something behind it that is.
 */
function ageOf({ at }: { readonly at: Date }, before: Date, now: Date): 'due' | 'kept' | 'unknown' {
  if (!(at <= now)) return 'unknown';
  return at < before ? 'due' : 'kept';
}
