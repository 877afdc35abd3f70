import type { AgentIndex } from '../../domain/agent-index.js';
import { tagMatch } from '../../domain/match.js';
import type { RuleAction } from './rule.js';

const NO_MEDIA = { input: [], output: [] };

/**
 * Why a target finds no agent of those in the index, as a clause; undefined when it leads to
 * somebody, or rejects.
 */
export function obstacleOf(target: RuleAction, index: AgentIndex): string | undefined {
  const { agentId, skillId, tags, match = 'all', composite } = target;
  if (agentId !== undefined) {
    if (index.wholeAgent(agentId)) return undefined;
    return index.agent(agentId)
      ? `the agent "${agentId}" is available for single skills only`
      : `no agent "${agentId}" is available`;
  }
  if (skillId !== undefined) {
    const isOffered = index.offers(skillId).length > 0;
    return isOffered ? undefined : `no available agent offers the skill "${skillId}"`;
  }
  if (composite !== undefined) {
    return index.composite(composite)
      ? undefined
      : `no composite skill "${composite}" is available`;
  }
  if (tags === undefined) return undefined;
  const found = index
    .withTags(tags, match)
    .some((agent) => tagMatch(agent, agent.card.skills, { tags, match, media: NO_MEDIA }));
  const how = match === 'all' ? 'all of' : 'any of';
  return found ? undefined : `no available skill carries ${how} the tags ${tags.join(', ')}`;
}
