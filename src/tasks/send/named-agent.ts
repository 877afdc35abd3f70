import { type HubRequest, splitSkillId } from '../../routing/index.js';

/** The agent that a message is addressed to by name, and the skill of it by its own id; undefined without such a name. */
export function namedAgent({
  agentId,
  directive,
}: Pick<HubRequest, 'agentId' | 'directive'>):
  { readonly agentId: string; readonly skillId: string | null } | undefined {
  const { skillId = null } = directive;
  const split = skillId === null ? undefined : splitSkillId(skillId);
  const named = agentId ?? directive.agentId ?? split?.agentId;
  if (named === undefined) return undefined;
  return { agentId: named, skillId: split?.agentId === named ? split.skillId : skillId };
}
