import type { Agent } from '../agent.js';

/** Whether the agent is asked to stream: its card says that it can, and its operator does not say otherwise. */
export function canStream({ card, switches }: Pick<Agent, 'card' | 'switches'>): boolean {
  return card.capabilities?.streaming === true && switches.streaming !== 'off';
}
