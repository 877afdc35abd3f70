import type { AgentCondition } from '../../../agents/index.js';
import { HubError } from '../../../common/hub-error.js';
import type { RoutableAgent } from '../../domain/agent-index.js';
import { planOfSteps } from '../../domain/plan-of-steps.js';
import type { CompositeSkill } from '../../domain/route-extensions.js';

/** Cards tell what there is, not how it is at the moment. */
const WELL: AgentCondition = {
  health: 'healthy',
  breaker: 'closed',
  outstanding: 0,
  queued: 0,
  isFull: false,
};

/**
 * The composite skills that a card should offer to whom these agents are open: those whose steps would
 * find somebody if every agent were well. The others would be refused.
 */
export function offeredComposites(
  composites: readonly CompositeSkill[],
  agents: readonly RoutableAgent[],
): readonly CompositeSkill[] {
  const extensions = agents.flatMap(({ card }) =>
    (card.capabilities?.extensions ?? []).map(({ uri }) => uri),
  );
  return composites.filter(({ steps }) => {
    try {
      planOfSteps(steps, {
        agents,
        composites: [],
        directive: {},
        agentId: undefined,
        affinity: [],
        defaultAgent: null,
        media: { input: [], output: [] },
        extensions,
        decide: () => ({ decision: undefined, passed: [] }),
        conditionOf: () => WELL,
      });
      return true;
    } catch (error) {
      if (error instanceof HubError) return false;
      throw error;
    }
  });
}
