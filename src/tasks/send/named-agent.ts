import type { Requested } from '../../agents/index.js';
import { type HubRequest, splitSkillId } from '../../routing/index.js';

/** The agent that a message is addressed to by name, and what it asks of it; undefined without such a name. */
export function namedAgent({
  agentId,
  directive,
}: Pick<HubRequest, 'agentId' | 'directive'>):
  { readonly agentId: string; readonly requested: Requested } | undefined {
  const { skillId = null, tags = [], match = 'all' } = directive;
  const split = skillId === null ? undefined : splitSkillId(skillId);
  const named = agentId ?? directive.agentId ?? split?.agentId;
  if (named === undefined) return undefined;
  const own = split?.agentId === named ? split.skillId : skillId;
  return { agentId: named, requested: { skillId: own, tags, match } };
}
