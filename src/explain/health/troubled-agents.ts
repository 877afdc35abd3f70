import type { Agent, AgentHealthView, AgentVerdict } from '../../agents/index.js';
import { sentenceOf } from '../domain/words.js';

/** An agent that somebody should look at. */
export interface TroubledAgent {
  readonly agentId: string;
  /** As its card has it. */
  readonly name: string;
  readonly verdict: AgentVerdict;
  readonly breaker: AgentHealthView['breaker'];
  /** Since when its health is what it is; null: it was not called yet. */
  readonly since: Date | null;
  /** What is wrong, a sentence. */
  readonly why: string;
}

const URGENCY: Readonly<Record<AgentVerdict, number>> = {
  down: 0,
  failing: 1,
  degraded: 2,
  recovering: 3,
  unknown: 4,
  healthy: 5,
};

/** What is wrong with an enabled agent; null when nothing is. */
export function agentTrouble(agent: Agent, view: AgentHealthView): TroubledAgent | null {
  const why = whyTroubled(agent, view);
  if (why === null) return null;
  const { verdict, breaker, since } = view;
  return { agentId: agent.id, name: agent.card.name, verdict, breaker, since, why };
}

/** Those that are down first, those that get their work last. */
export function byUrgency(a: TroubledAgent, b: TroubledAgent): number {
  return URGENCY[a.verdict] - URGENCY[b.verdict] || (a.agentId < b.agentId ? -1 : 1);
}

function whyTroubled(
  { cardTrouble }: Agent,
  { health, verdict, lastError, lastTaskError, isFull }: AgentHealthView,
): string | null {
  if (cardTrouble?.kind === 'unusable') return sentenceOf(cardTrouble.reason);
  if (health === 'down' || health === 'degraded') {
    return becauseOf(`It is ${health}`, lastError ?? lastTaskError);
  }
  if (verdict === 'failing') {
    return becauseOf(
      'Its health checks pass, but half or more of its last calls failed',
      lastError,
    );
  }
  if (isFull) return 'Its queue is full: new tasks for it are refused.';
  return cardTrouble?.kind === 'refused'
    ? `Its card was refused, and the one before is used: ${sentenceOf(cardTrouble.reason)}`
    : null;
}

function becauseOf(what: string, error: string | null): string {
  return error === null ? `${what}.` : `${what}: ${sentenceOf(error)}`;
}
