import { timeLeft } from '../../common/time-left.js';
import {
  decideBreakerWait,
  decideBreakerNotice,
  decideSending,
  awaitsBreaker,
} from '../domain/unsent.js';
import type { RunContext } from './run-context.js';
import type { Step } from './steps.js';

/** Pauses between two checks whether the breaker of the agent lets a call through. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;
/** A message that has waited so long says in its task what it waits for. */
const NOTICE_AFTER_MS = 1000;

/**
 * Sends a message that begins a task when the agent's breaker lets it through. While it does not, a delegation
 * with a fallback fails over at once. One without waits, for at most as long as the agent has for its first
 * answer, and is then sent or fails with the reason; where it is known that the breaker stays open for longer
 * it fails at once. A half-open breaker lets exactly one through. While a delegation waits it counts as
 * queued, so that its message does not count as sent; after a second its task says what it waits for.
 *
 * A further message of a task that the agent has is sent in any case: no other agent could answer it. A
 * message that is sent again because its outcome is unknown waits as well, but keeps the state `sending`: no
 * other agent may get it.
 */
export async function whenAdmitted(run: RunContext, send: () => Promise<Step>): Promise<Step> {
  const { deps, agent, delegation, budgets } = run;
  if (delegation.downstreamTaskId !== null) return send();
  const isFirstSending = !run.sent;
  const timeToWait = timeLeft(deps.clock, budgets.firstEventMs);
  let noticed = false;
  const release = async (): Promise<Step> => {
    if (awaitsBreaker(run.delegation)) await run.change(decideSending);
    return run.done || run.signal.aborted ? 'done' : send();
  };
  for (let isFirst = true; ; isFirst = false) {
    const admission = deps.health.admit(agent.id);
    if (admission.kind === 'go') return release();
    if (admission.kind === 'probe') return release().finally(admission.end);
    const left = timeToWait();
    const mayFailOver = isFirstSending && delegation.fallbacks.length > 0;
    if (mayFailOver || left <= 0 || admission.waitMs > left) {
      const reason = `${run.agentName} ${admission.why}${again(admission.waitMs)}.`;
      await run.failover({ reason, code: 'AGENT_UNREACHABLE' });
      return 'done';
    }
    if (isFirst && isFirstSending) await run.change(decideBreakerWait);
    if (!noticed && budgets.firstEventMs - left >= NOTICE_AFTER_MS) {
      noticed = true;
      const why = `Waiting for ${run.agentName}, which ${admission.why}.`;
      await run.change((task, id, now) => decideBreakerNotice(task, id, why, now));
    }
    if (run.done || run.signal.aborted) return 'done';
    await run.calls.sleep(Math.max(MIN_PAUSE_MS, Math.min(admission.waitMs, MAX_PAUSE_MS, left)));
    if (run.done || run.signal.aborted) return 'done';
  }
}

function again(waitMs: number): string {
  return waitMs > 0 ? ` and is not asked for another ${Math.ceil(waitMs / 1000)} s` : '';
}
