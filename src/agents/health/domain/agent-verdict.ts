import type { HealthState } from '../agent-health.js';

/**
 * What is said of an agent to people, from its health and its last calls and tasks; routing goes by the health alone.
 * - `failing`: its health checks pass, but most of its last calls failed by its own fault;
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

/** Calls that are looked at. */
const MAX_CALLS = 10;

/** Whether each of the last calls succeeded, the newest last, with one more. */
export function withCall(calls: readonly boolean[], ok: boolean): readonly boolean[] {
  return [...calls.slice(1 - MAX_CALLS), ok];
}

/** `calls` as {@link withCall} has them; `tasksRecovered`: the last tasks were all completed. */
export function agentVerdictOf(
  health: HealthState,
  calls: readonly boolean[],
  tasksRecovered: boolean,
): AgentVerdict {
  if (health === 'down' || health === 'unknown') return health;
  const callsFail = calls.at(-1) === false && calls.filter((ok) => !ok).length * 2 >= calls.length;
  if (health === 'healthy') return callsFail ? 'failing' : 'healthy';
  return tasksRecovered && calls.at(-1) !== false ? 'recovering' : 'degraded';
}
