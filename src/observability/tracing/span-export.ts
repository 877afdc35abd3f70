import { BackgroundJob } from '../../common/background-job.js';
import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { Metrics } from '../metrics.js';
import type { RecordedSpan } from './recorded-span.js';

/** What became of the spans of one request. */
export interface Sent {
  /** Spans that the collector has not taken and does not want again. */
  readonly refused: number;
  /** They are to be sent again, after this long at least. */
  readonly againAfterMs?: number;
  /** What went wrong, in words without secrets. */
  readonly trouble?: string;
}

/** One request to the collector. Never rejects. */
export type SendSpans = (spans: readonly RecordedSpan[], signal: AbortSignal) => Promise<Sent>;

type Loss = 'queue-full' | 'unreachable' | 'refused';

const LOSSES: readonly Loss[] = ['queue-full', 'unreachable', 'refused'];
/** Spans of one request: it is made in one turn of the event loop. */
const BATCH = 256;
const EVERY_MS = 1000;
const TRIES = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const LOSSES_LOGGED_MS = 60_000;
/** How long the end of the process waits for what is not sent yet. */
const CLOSING_MS = 2000;

/**
 * Sends spans in batches, one request at a time, and keeps at most `maxQueue` that wait: what comes while they are so many is
 * dropped. Metrics count what was sent and dropped; the log tells of losses once a minute at most.
 */
export class SpanExport {
  private queue: RecordedSpan[] = [];
  /** The batch that is to be sent again. */
  private held: readonly RecordedSpan[] | undefined;
  private tries = 0;
  /** By the monotonic clock. */
  private notBefore = -Infinity;
  private readonly lost = new Map<Loss, number>();
  private lastTrouble: string | undefined;
  private loggedAt = -Infinity;
  private readonly closing = new AbortController();
  private readonly job: BackgroundJob;
  private readonly counters: ReturnType<typeof countersIn>;

  constructor(
    private readonly send: SendSpans,
    private readonly maxQueue: number,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn' | 'info'>,
    metrics: Pick<Metrics, 'counter'>,
  ) {
    this.counters = countersIn(metrics);
    this.job = new BackgroundJob(
      {
        name: 'traces',
        failure: 'spans could not be sent',
        everyMs: EVERY_MS,
        run: () => this.run(),
      },
      clock,
      log,
    );
  }

  start(): void {
    this.job.start();
  }

  add(span: RecordedSpan): void {
    if (this.queue.length >= this.maxQueue) return this.lose('queue-full', 1);
    this.queue.push(span);
    if (this.queue.length === BATCH) this.job.wake();
  }

  async close(): Promise<void> {
    const onTime = this.clock.after(CLOSING_MS, () => this.closing.abort());
    await this.job.stop();
    this.notBefore = -Infinity;
    while (!this.closing.signal.aborted && (await this.sendNext()));
    onTime();
    const left = this.queue.length + (this.held?.length ?? 0);
    if (left > 0) this.lose('unreachable', left);
    this.logLosses(true);
  }

  /** Until nothing waits, or the collector is in trouble: how long it is left alone then. */
  private async run(): Promise<number | undefined> {
    const pause = this.notBefore - this.now;
    if (pause > 0) return pause;
    while (await this.sendNext());
    this.logLosses();
    const next = this.notBefore - this.now;
    return next > 0 ? next : undefined;
  }

  /** True when there is more to send at once. */
  private async sendNext(): Promise<boolean> {
    const batch = this.held ?? this.queue.splice(0, BATCH);
    if (batch.length === 0) return false;
    const { refused, againAfterMs, trouble } = await this.send(batch, this.closing.signal);
    if (trouble !== undefined) this.lastTrouble = trouble;
    if (againAfterMs !== undefined && this.tries + 1 < TRIES) {
      this.held = batch;
      const pause = Math.min(
        LONGEST_PAUSE_MS,
        Math.max(FIRST_PAUSE_MS * 2 ** this.tries, againAfterMs),
      );
      this.tries += 1;
      this.notBefore = this.now + pause;
      return false;
    }
    this.held = undefined;
    this.tries = 0;
    if (againAfterMs !== undefined) {
      this.lose('unreachable', batch.length);
      this.notBefore = this.now + LONGEST_PAUSE_MS;
      return false;
    }
    this.counters.sent.inc(batch.length - refused);
    if (refused > 0) this.lose('refused', refused);
    return this.queue.length > 0;
  }

  private get now(): number {
    return this.clock.monotonicMs();
  }

  private lose(why: Loss, count: number): void {
    this.counters.dropped.inc({ reason: why }, count);
    this.lost.set(why, (this.lost.get(why) ?? 0) + count);
  }

  private logLosses(isLast = false): void {
    if (this.lost.size === 0) return;
    const now = this.now;
    if (!isLast && now - this.loggedAt < LOSSES_LOGGED_MS) return;
    this.loggedAt = now;
    const fields = { dropped: Object.fromEntries(this.lost), trouble: this.lastTrouble };
    this.log.warn(
      fields,
      'spans were dropped, and their traces have gaps; docs/telemetry.md says what to do',
    );
    this.lost.clear();
    this.lastTrouble = undefined;
  }
}

function countersIn(metrics: Pick<Metrics, 'counter'>) {
  const sent = metrics.counter('trace_spans_sent_total', 'Spans that the collector has taken.', []);
  const dropped = metrics.counter(
    'trace_spans_dropped_total',
    'Spans that are lost: queue-full, unreachable (the collector gave no answer, again and again) or refused by it.',
    ['reason'],
  );
  for (const reason of LOSSES) dropped.inc({ reason }, 0);
  return { sent, dropped };
}
