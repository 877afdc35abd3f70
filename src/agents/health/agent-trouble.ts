import { sentenceOf } from '../../common/sentence.js';
import type { Agent } from '../agent.js';
import type { AgentHealthView } from './agent-monitor.js';

/** What is wrong with an enabled agent, a sentence; null when nothing is, and of one that is disabled. */
export function agentTrouble(agent: Agent, view: AgentHealthView): string | null {
  const { cardTrouble, enabled } = agent;
  if (!enabled) return null;
  if (cardTrouble?.kind === 'unread') {
    return becauseOf('Its card could not be read yet, and it gets no work', cardTrouble.reason);
  }
  if (cardTrouble?.kind === 'unusable') {
    return becauseOf('Its card cannot be used, and it gets no work', cardTrouble.reason);
  }
  return (
    troubleOfHealth(view) ??
    (cardTrouble?.kind === 'refused' ? refusedCard(cardTrouble.reason) : null)
  );
}

function troubleOfHealth({
  health,
  verdict,
  lastError,
  lastTaskError,
  isFull,
}: AgentHealthView): string | null {
  if (verdict === 'failing') {
    const what =
      health === 'healthy'
        ? 'Its health checks pass, but half or more of its last calls failed'
        : 'Half or more of its last calls failed';
    return becauseOf(what, lastError);
  }
  if (health === 'down' || health === 'degraded') {
    return becauseOf(`It is ${health}`, lastError ?? lastTaskError);
  }
  return isFull ? 'Its queue is full: new tasks for it are refused.' : null;
}

function refusedCard(reason: string): string {
  return becauseOf('Its card was refused, and the one before is used', reason);
}

function becauseOf(what: string, error: string | null): string {
  return error === null ? `${what}.` : `${what}: ${sentenceOf(error)}`;
}
