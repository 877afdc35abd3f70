import type { AgentCondition } from '../../../agents/index.js';
import { HubError } from '../../../common/hub-error.js';
import type { RoutableAgent } from '../../domain/agent-index.js';
import { planOfSteps } from '../../domain/plan-of-steps.js';
import { NOTHING_REQUESTED } from '../../domain/question.js';
import type { CompositeSkill } from '../../domain/composite-skill.js';

/** Cards tell what there is, not how it is at the moment. */
const WELL: AgentCondition = {
  health: 'healthy',
  breaker: 'closed',
  outstanding: 0,
  queued: 0,
  isFull: false,
};

const offered = new WeakMap<
  readonly RoutableAgent[],
  WeakMap<readonly CompositeSkill[], readonly CompositeSkill[]>
>();

/**
 * The composite skills of these that there are for a caller who may use these agents: those whose steps
 * would find an agent if every agent were well. The others would be refused. Made once per lists; where
 * none is left out the list is the one that was given.
 */
export function offeredComposites(
  composites: readonly CompositeSkill[],
  agents: readonly RoutableAgent[],
): readonly CompositeSkill[] {
  let ofAgents = offered.get(agents);
  if (!ofAgents) offered.set(agents, (ofAgents = new WeakMap()));
  let there = ofAgents.get(composites);
  if (!there) ofAgents.set(composites, (there = possible(composites, agents)));
  return there;
}

function possible(
  composites: readonly CompositeSkill[],
  agents: readonly RoutableAgent[],
): readonly CompositeSkill[] {
  const extensions = agents.flatMap(({ card }) =>
    (card.capabilities?.extensions ?? []).map(({ uri }) => uri),
  );
  const left = composites.filter(({ steps }) => {
    try {
      planOfSteps(steps, {
        ...NOTHING_REQUESTED,
        agents,
        extensions,
        conditionOf: () => WELL,
      });
      return true;
    } catch (error) {
      if (error instanceof HubError) return false;
      throw error;
    }
  });
  return left.length === composites.length ? composites : left;
}
