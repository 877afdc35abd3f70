import type { Requested } from '../../agents/index.js';
import { type HubRequest, splitSkillId } from '../../routing/index.js';

/** The agent that a message is addressed to by name, and what it asks of it; undefined without such a name. */
export function namedAgent({
  agentId,
  directive,
}: Pick<HubRequest, 'agentId' | 'directive'>):
  | { readonly agentId: string; readonly requested: Requested }
  | undefined {
  const { skillId } = directive;
  const named = agentId ?? directive.agentId ?? (skillId && splitSkillId(skillId)?.agentId);
  return named === undefined
    ? undefined
    : { agentId: named, requested: requestedOf(named, directive) };
}

/** What a message asks of this agent. */
export function requestedOf(agentId: string, directive: HubRequest['directive']): Requested {
  const { skillId = null, tags = [], match = 'all' } = directive;
  const split = skillId === null ? undefined : splitSkillId(skillId);
  const own = split?.agentId === agentId ? split.skillId : skillId;
  return { skillId: own, tags, match };
}
