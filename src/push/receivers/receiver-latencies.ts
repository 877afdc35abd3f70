import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { KeptValue } from '../../common/kept-value.js';
import { type AttemptTime, AttemptTimes } from './attempt-times.js';

/** Attempts of all receivers that are looked at. */
export const ATTEMPTS_LOOKED_AT = 2000;
const FRESH_MS = 5000;

/** How long a receiver took to answer, or to fail. */
export interface ReceiverLatency {
  /** Attempts that this was found of. */
  readonly attempts: number;
  readonly medianMs: number;
  /** 95 of 100 attempts took no longer. */
  readonly p95Ms: number;
  /** Some are known in whole seconds only, rounded up: how fast a private address answers is not shown. */
  readonly isRounded: boolean;
  /** When the newest of the attempts was made. */
  readonly measuredAt: Date;
}

/** Receivers whose last latency is kept. */
const MOST_KEPT = 5000;
/** What was measured longer ago says nothing of today. */
const KEPT_MS = 86_400_000;

/** How long receivers take, by the newest attempts of all; read once in a few seconds for whoever asks. */
@Injectable()
export class ReceiverLatencies {
  private readonly last = new Map<string, ReceiverLatency>();
  private readonly kept: KeptValue<ReadonlyMap<string, ReceiverLatency>>;

  constructor(
    times: AttemptTimes,
    private readonly clock: Clock,
  ) {
    const read = async () => this.withLast(latenciesOf(await times.newest(ATTEMPTS_LOOKED_AT)));
    const rules = { read, freshMs: FRESH_MS, keptMs: 2 * FRESH_MS, failureMs: 1000 };
    this.kept = new KeptValue(rules, clock);
  }

  /** By endpoint; one that has none of the newest attempts has what this process has measured last, for a day. */
  all(): Promise<ReadonlyMap<string, ReceiverLatency>> {
    return this.kept.get();
  }

  /** A busy receiver has all of the newest attempts: what was measured of the others before stays for a while. */
  private withLast(
    found: ReadonlyMap<string, ReceiverLatency>,
  ): ReadonlyMap<string, ReceiverLatency> {
    const oldest = this.clock.now().getTime() - KEPT_MS;
    for (const [endpoint, { measuredAt }] of this.last) {
      if (measuredAt.getTime() < oldest) this.last.delete(endpoint);
    }
    for (const [endpoint, latency] of found) {
      // Behind those that were measured before.
      this.last.delete(endpoint);
      evictOldest(this.last, MOST_KEPT);
      this.last.set(endpoint, latency);
    }
    return new Map(this.last);
  }
}

function latenciesOf(times: readonly AttemptTime[]): ReadonlyMap<string, ReceiverLatency> {
  const byEndpoint = new Map<string, AttemptTime[]>();
  for (const time of times) {
    const those = byEndpoint.get(time.endpoint);
    if (those === undefined) byEndpoint.set(time.endpoint, [time]);
    else those.push(time);
  }
  return new Map([...byEndpoint].map(([endpoint, each]) => [endpoint, latencyOf(each)]));
}

/** Of one attempt at least. */
function latencyOf(attempts: readonly AttemptTime[]): ReceiverLatency {
  const sorted = attempts.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const within = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return {
    attempts: sorted.length,
    medianMs: within(0.5),
    p95Ms: within(0.95),
    isRounded: attempts.some((each) => each.isRounded),
    measuredAt: new Date(Math.max(...attempts.map(({ at }) => at.getTime()))),
  };
}
