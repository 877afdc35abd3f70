import type { HealthState } from '../agent-health.js';

/**
 * What is said of an agent to people, from its health and its last calls and tasks; routing goes by the health alone.
 * - `failing`: half or more of its last calls, of an hour, failed by its own fault, yet it is not down: it was
 *   degraded by two of them at least, or a health check has passed since;
 * - `recovering`: degraded by tasks that failed, and its last ones were all completed;
 * - the others as its health.
 */
export const AGENT_VERDICTS = [
  'unknown',
  'healthy',
  'failing',
  'recovering',
  'degraded',
  'down',
] as const;
export type AgentVerdict = (typeof AGENT_VERDICTS)[number];

/** Calls that are looked at, and for how long each. */
const MAX_CALLS = 10;
const CALL_MS = 3_600_000;
/** One failed call makes an agent degraded; only of more follows that it fails its calls. */
const DEGRADED_FAILS = 2;

/** Whether a call succeeded, and when it came to that. */
export interface CallResult {
  readonly at: number;
  readonly ok: boolean;
}

/** The last calls, the newest last, with one more. */
export function withCall(calls: readonly CallResult[], call: CallResult): readonly CallResult[] {
  return [...calls.slice(1 - MAX_CALLS), call];
}

/** `calls` as {@link withCall} has them; `tasksRecovered`: the last tasks were all completed. */
export function agentVerdictOf(
  health: HealthState,
  calls: readonly CallResult[],
  tasksRecovered: boolean,
  now: number,
): AgentVerdict {
  if (health === 'down' || health === 'unknown') return health;
  const lately = calls.filter(({ at }) => now - at < CALL_MS);
  const failedLast = lately.at(-1)?.ok === false;
  const failed = lately.filter(({ ok }) => !ok).length;
  const callsFail = failedLast && failed * 2 >= lately.length;
  if (callsFail && (health === 'healthy' || failed >= DEGRADED_FAILS)) return 'failing';
  if (health === 'healthy') return 'healthy';
  return tasksRecovered && !failedLast ? 'recovering' : 'degraded';
}
