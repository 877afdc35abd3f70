import type { HealthRules } from './health-rules.js';

/** How a call ended that counts for the failure rate. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly ok: boolean;
  /** A failure that does not belong to the one before it. */
  readonly isNew: boolean;
}

/** Calls that are looked at, how many it takes for a judgement, and how old they may be. */
const MAX_SAMPLES = 20;
const MIN_SAMPLES = 10;
const WINDOW_MS = 60_000;

/** The newest samples with one more; those too old to count are gone. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const kept = samples.slice(1 - MAX_SAMPLES).filter(({ at }) => at > sample.at - WINDOW_MS);
  return [...kept, sample];
}

/**
 * Whether so many of the last calls failed that the agent is to be left alone for a while. Calls that
 * were cut at one moment are one failure: there have to be several.
 */
export function failsTooOften(
  samples: readonly Sample[],
  { failureRate, failuresToDown }: HealthRules,
): boolean {
  if (samples.length < MIN_SAMPLES) return false;
  const failed = samples.filter(({ ok }) => !ok);
  const apart = failed.filter(({ isNew }) => isNew).length;
  return apart >= failuresToDown && failed.length / samples.length >= failureRate;
}
