import type { AgentCondition } from '../../agents/index.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutableAgent } from './agent-index.js';
import { NOTHING_REQUESTED, type RoutingQuestion } from './question.js';

const IDLE: AgentCondition = {
  health: 'unknown',
  breaker: 'closed',
  outstanding: 0,
  queued: 0,
  isFull: false,
};

/** A skill called like its id, changed as the test needs it. */
export function aSkill(
  id: string,
  tags: string[] = [],
  changes: Partial<AgentSkill> = {},
): AgentSkill {
  return {
    id,
    name: id,
    description: '',
    tags,
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
    ...changes,
  };
}

/** An agent with these skills, changed as the test needs it. */
export function aRoutableAgent(
  id: string,
  skills: AgentSkill[],
  changes: Partial<RoutableAgent> = {},
): RoutableAgent {
  return {
    id,
    tags: [],
    priority: 0,
    card: { skills, defaultInputModes: [], defaultOutputModes: [] },
    ...changes,
  };
}

/** A message that says nothing, to agents that are idle. */
export function questionTo(
  agents: readonly RoutableAgent[],
  changes: Partial<RoutingQuestion> = {},
): RoutingQuestion {
  return {
    ...NOTHING_REQUESTED,
    agents,
    extensions: [],
    conditionOf: () => IDLE,
    ...changes,
  };
}
