import type { PolicyQuestion, PolicyResource } from './policy.js';
import type { WrittenQuestion } from './question-of.js';

/** An agent that is registered, as far as policies see it. */
export interface KnownAgent {
  readonly tags: readonly string[];
  readonly skills: readonly { readonly id: string; readonly tags: readonly string[] }[];
  /**
   * Why callers of this organization get no new work to it, or to this skill of it, whatever policies say, as a sentence without
   * an end; undefined where policies alone decide. Null: no skill is named.
   */
  closedTo(organization: string, skillId: string | null): string | undefined;
}

/**
 * A question with the tags of the agent and the skill where none are given, which need not be registered where some are;
 * what is not registered, as a sentence without an end, else.
 */
export function withKnownTags(
  written: WrittenQuestion,
  known: KnownAgent | undefined,
): WrittenQuestion | string {
  const { agentId, agentTags, skillId, tags } = written;
  if (known === undefined) {
    const isGiven = agentTags !== undefined || tags !== undefined;
    return isGiven ? written : `No agent ${agentId} is registered`;
  }
  const skill = known.skills.find(({ id }) => id === skillId);
  if (skillId !== undefined && skill === undefined && tags === undefined) {
    return `The agent ${agentId} has no skill ${skillId}`;
  }
  return { ...written, agentTags: agentTags ?? known.tags, tags: tags ?? skill?.tags };
}

/** The same question of each skill of the agent, where it is about the agent alone: one of them must be permitted, too. */
export function questionsOfSkills(
  question: PolicyQuestion,
  known: KnownAgent | undefined,
): PolicyQuestion[] {
  const { resource } = question;
  if (resource === null || resource.skillId !== null) return [];
  const open = (known?.skills ?? []).filter(
    ({ id }) => known?.closedTo(question.caller.organization, id) === undefined,
  );
  return open.map(({ id, tags }) => {
    const ofSkill: PolicyResource = { ...resource, skillId: id, tags };
    return { ...question, resource: ofSkill };
  });
}
