import { invalidField } from '../../common/hub-error.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import { fieldOf, type RoutingDirective } from '../../protocol/routing-extension.js';
import {
  skillOfEitherId,
  splitSkillId,
  type AgentIndex,
  type RoutableAgent,
} from './agent-index.js';
import { noRoute } from './explain.js';
import { plainMatch, tagMatch, type Wanted } from './match.js';
import type { Found, RoutingQuestion } from './question.js';
import { COMPOSITE_AGENT_ID } from './composite-skill.js';
import type { Candidate } from './route.js';

/** What finding by name goes by. */
export type NamedTargets = Pick<RoutingQuestion, 'agentId' | 'directive' | 'media'>;

/** The agent of the address, or the one the message names. */
export function byAgent(requested: NamedTargets, index: AgentIndex): Found | undefined {
  const { directive, media } = requested;
  const byAddress = requested.agentId !== undefined;
  const id = requested.agentId ?? directive.agentId;
  if (id === undefined) return undefined;
  const agent = index.agent(id);
  if (!agent) throw noRoute(`No agent "${id}" is registered and enabled.`, index);
  const how = byAddress ? 'Named by the address of the request.' : 'Named by agentId.';
  const named = namedSkill(agent, directive, byAddress, index);
  const tagged = taggedSkill(agent, named, requested, index);
  const skill = named ?? tagged;
  if (skill === undefined && agent.bySkillOnly === true) {
    throw noRoute(`Of the agent "${id}" you may use single skills: name one by skillId.`, index);
  }
  return { reason: 'agent', matches: [plainMatch(agent, skill, how, media)] };
}

/**
 * The skill that is asked for beside a named agent, which must have it unless the address named it. Where policies keep
 * skills of it from the caller it must have it always: what it has not may be one of those.
 */
function namedSkill(
  agent: RoutableAgent,
  directive: RoutingDirective,
  byAddress: boolean,
  index: AgentIndex,
): AgentSkill | undefined {
  const { skillId } = directive;
  if (skillId === undefined) return undefined;
  const skill = skillOfEitherId(agent, skillId);
  if (skill || (byAddress && agent.isNarrowed !== true)) return skill;
  const split = splitSkillId(skillId);
  if (!byAddress && split && split.agentId !== agent.id && index.provider(split.agentId)) {
    throw invalidField(
      fieldOf(directive, 'skillId'),
      `"${skillId}" is not a skill of the agent "${agent.id}"`,
    );
  }
  throw noRoute(`The agent "${agent.id}" has no skill "${skillId}".`, index);
}

/** The skill of a named agent that carries the tags asked for; where policies keep skills of it from the caller, one must. */
function taggedSkill(
  agent: RoutableAgent,
  named: AgentSkill | undefined,
  requested: NamedTargets,
  index: AgentIndex,
): AgentSkill | undefined {
  const wanted = wantedOf(requested);
  if (wanted.tags.length === 0) return undefined;
  const match = tagMatch(agent, named ? [named] : agent.card.skills, wanted);
  if (match === undefined && agent.isNarrowed === true) throw noTags(requested.directive, index);
  return match?.skill;
}

/** Who offers the skill that the message names, of those that carry its tags. */
export function bySkill(requested: NamedTargets, index: AgentIndex): Found | undefined {
  const { skillId } = requested.directive;
  if (skillId === undefined) return undefined;
  const wanted = wantedOf(requested);
  const why = `Offers the skill "${skillId}".`;
  const offers = index.offers(skillId);
  const matches = offers.flatMap(({ agent, skill }) => {
    if (wanted.tags.length === 0) return [plainMatch(agent, skill, why, wanted.media)];
    const tagged = tagMatch(agent, [skill], wanted);
    return tagged ? [{ ...tagged, skill, why: [why, ...tagged.why] }] : [];
  });
  if (matches.length > 0) return { reason: 'skill', matches };
  const problem = offers.length > 0 ? ' with these tags' : '';
  throw noRoute(`No agent offers the skill "${skillId}"${problem}.`, index);
}

/** Who carries the tags of the message; undefined when there are none or no agent does. */
export function byTags(requested: NamedTargets, index: AgentIndex): Found | undefined {
  const wanted = wantedOf(requested);
  if (wanted.tags.length === 0) return undefined;
  const matches = index
    .withTags(wanted.tags, wanted.match)
    .flatMap((agent) => tagMatch(agent, agent.card.skills, wanted) ?? []);
  return matches.length === 0 ? undefined : { reason: 'tags', matches };
}

/** The rejection of tags that no agent carries. */
export function noTags({ tags = [], match }: RoutingDirective, index: AgentIndex): Error {
  const how = match === 'any' ? 'any of' : 'all of';
  return noRoute(`No skill carries ${how} the tags ${tags.join(', ')}.`, index);
}

/** The agents of the context in their order. None left usable: as if it had none. */
export function byAffinity(
  { affinity, media }: RoutingQuestion,
  index: AgentIndex,
): Found | undefined {
  const why = 'Handled the last message of this context.';
  const usable = affinity.flatMap((id) => index.wholeAgent(id) ?? []);
  if (usable.length === 0) return undefined;
  return {
    reason: 'affinity',
    matches: usable.map((agent) => plainMatch(agent, undefined, why, media)),
    skipped: goneOf(affinity, index),
    isOrdered: true,
  };
}

export function byDefault(question: RoutingQuestion, index: AgentIndex): Found | undefined {
  const { defaultAgent, affinity, media } = question;
  if (defaultAgent === null) return undefined;
  const agent = index.wholeAgent(defaultAgent);
  if (!agent) throw noRoute(`The default agent "${defaultAgent}" is not available.`, index);
  return {
    reason: 'default',
    matches: [plainMatch(agent, undefined, 'The default agent.', media)],
    skipped: goneOf(affinity, index),
  };
}

/** The agents of the context that this caller cannot use any more. */
export function goneOf(affinity: readonly string[], index: AgentIndex): Candidate[] {
  return affinity
    .filter((id) => !index.wholeAgent(id))
    .map((agentId) => ({
      agentId,
      why: 'Handled the last message of this context, but is not available.',
    }));
}

/** Whether a match is a composite skill rather than an agent's. */
export function isComposite({ agent }: { readonly agent: RoutableAgent }): boolean {
  return agent.id === COMPOSITE_AGENT_ID;
}

/** Who a target means: an agent, or all with that skill or those tags. Throws NO_ROUTE without any. */
export function byTarget(requested: NamedTargets, index: AgentIndex): Found {
  const found = byAgent(requested, index) ?? bySkill(requested, index) ?? byTags(requested, index);
  if (found) return found;
  throw noTags(requested.directive, index);
}

function wantedOf({ directive, media }: NamedTargets): Wanted {
  return { tags: directive.tags ?? [], match: directive.match ?? 'all', media };
}
