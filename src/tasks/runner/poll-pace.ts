import type { Agent, AgentBudgets } from '../../agents/index.js';
import type { RunSettings } from './run-deps.js';

/** The pauses between two polls of an agent's task. */
export interface PollPace {
  /** The shortest one, also after a sign of news. */
  readonly minMs: number;
  /** The first and the longest one without a sign. */
  readonly startMs: number;
  readonly maxMs: number;
}

/** An agent's own interval leaves time for two polls until it counts as idle. */
export function pollPaceOf(
  { pollMinMs, pollMaxMs }: RunSettings,
  { switches }: Agent,
  { idleMs }: AgentBudgets,
): PollPace {
  const own = switches.pollIntervalMs;
  if (own === undefined) return { minMs: pollMinMs, startMs: pollMinMs, maxMs: pollMaxMs };
  const minMs = Math.min(own, pollMinMs);
  const everyMs = Math.max(minMs, Math.min(own, idleMs / 2));
  return { minMs, startMs: everyMs, maxMs: everyMs };
}
