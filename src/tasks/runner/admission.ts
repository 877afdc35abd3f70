import type { RunContext } from './run-context.js';
import type { Step } from './steps.js';

/** Pauses between two questions whether the agent may be asked now. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;
/** A message that has waited so long says in its task what it waits for. */
const TELL_AFTER_MS = 1000;

/**
 * Sends a first message when the agent's breaker lets it. While it does not, a delegation with another
 * agent to go to goes there at once. One without waits, for at most as long as the agent has for its
 * first answer, and is then sent or fails with the reason; where it is known that the agent will not be
 * asked within that time it fails at once. A half-open breaker lets exactly one through. While it waits
 * it counts as queued, so that nobody takes it for sent; after a second its task says what it waits for.
 *
 * A further message of a task that the agent has is sent in any case: nobody else could answer it.
 */
export async function whenAdmitted(run: RunContext, send: () => Promise<Step>): Promise<Step> {
  const { deps, agent, delegation, budgets } = run;
  if (run.sent || delegation.downstreamTaskId !== null) return send();
  const began = deps.clock.now().getTime();
  const giveUpAt = began + budgets.firstEventMs;
  let told = false;
  const release = async (): Promise<Step> => {
    await run.release();
    return run.over || run.signal.aborted ? 'done' : send();
  };
  for (let isFirst = true; ; isFirst = false) {
    const admission = deps.health.admit(agent.id);
    if (admission.kind === 'go') return release();
    if (admission.kind === 'trial') return release().finally(admission.end);
    const left = giveUpAt - deps.clock.now().getTime();
    if (delegation.fallbacks.length > 0 || left <= 0 || admission.waitMs > left) {
      await run.failover(`${run.agentName} ${admission.why}${again(admission.waitMs)}.`);
      return 'done';
    }
    if (isFirst) await run.hold();
    if (!told && deps.clock.now().getTime() - began >= TELL_AFTER_MS) {
      told = true;
      await run.tellHeld(`Waiting for ${run.agentName}, which ${admission.why}.`);
    }
    if (run.over || run.signal.aborted) return 'done';
    await run.sleep(Math.max(MIN_PAUSE_MS, Math.min(admission.waitMs, MAX_PAUSE_MS, left)));
    if (run.over || run.signal.aborted) return 'done';
  }
}

function again(waitMs: number): string {
  return waitMs > 0 ? ` and is not asked for another ${Math.ceil(waitMs / 1000)} s` : '';
}
