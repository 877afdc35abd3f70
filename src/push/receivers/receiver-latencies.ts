import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { KeptValue } from '../../common/kept-value.js';
import { AttemptTimes } from './attempt-times.js';

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
}

/** How long receivers take, by the newest attempts of all; read once in a few seconds for whoever asks. */
@Injectable()
export class ReceiverLatencies {
  private readonly kept: KeptValue<ReadonlyMap<string, ReceiverLatency>>;

  constructor(times: AttemptTimes, clock: Clock) {
    const read = async () => latenciesOf(await times.newest(ATTEMPTS_LOOKED_AT));
    const rules = { read, freshMs: FRESH_MS, keptMs: 2 * FRESH_MS, failureMs: 1000 };
    this.kept = new KeptValue(rules, clock);
  }

  /** By endpoint; one that has none of the newest attempts is not in it. */
  all(): Promise<ReadonlyMap<string, ReceiverLatency>> {
    return this.kept.get();
  }
}

function latenciesOf(
  times: Awaited<ReturnType<AttemptTimes['newest']>>,
): ReadonlyMap<string, ReceiverLatency> {
  const byEndpoint = new Map<string, number[]>();
  for (const { endpoint, durationMs } of times) {
    const those = byEndpoint.get(endpoint);
    if (those === undefined) byEndpoint.set(endpoint, [durationMs]);
    else those.push(durationMs);
  }
  return new Map([...byEndpoint].map(([endpoint, each]) => [endpoint, latencyOf(each)]));
}

/** Of one attempt at least. */
function latencyOf(durations: readonly number[]): ReceiverLatency {
  const sorted = [...durations].sort((a, b) => a - b);
  const within = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { attempts: sorted.length, medianMs: within(0.5), p95Ms: within(0.95) };
}
