import {
  type Agent,
  type AgentHealthView,
  agentTrouble,
  type AgentVerdict,
} from '../../agents/index.js';

/** An agent that somebody should look at. */
export interface TroubledAgent {
  readonly agentId: string;
  /** As its card has it. */
  readonly name: string;
  readonly verdict: AgentVerdict;
  readonly breaker: AgentHealthView['breaker'];
  /** Since when its health is what it is; null: it was not called yet, or only its calls fail. */
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

/** An agent that something is wrong with; null when nothing is. */
export function troubledAgent(agent: Agent, view: AgentHealthView): TroubledAgent | null {
  const why = agentTrouble(agent, view);
  if (why === null) return null;
  const { verdict, breaker } = view;
  const since = verdict === 'failing' ? null : view.since;
  return { agentId: agent.id, name: agent.card.name, verdict, breaker, since, why };
}

/** Those that are down first, those that get their work last. */
export function byUrgency(a: TroubledAgent, b: TroubledAgent): number {
  return URGENCY[a.verdict] - URGENCY[b.verdict] || (a.agentId < b.agentId ? -1 : 1);
}
