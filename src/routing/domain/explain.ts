import { HubError } from '../../common/hub-error.js';
import { hubSkillId, type AgentIndex } from './agent-index.js';
import type { Match } from './match.js';
import type { Candidate } from './route.js';

/** Skills that a rejection lists. */
const MAX_LISTED_SKILLS = 50;

/** A match as the route tells of it, with one more reason for where it stands, or why it is left out. */
export function candidateOf({ agent, skill, why, textScore }: Match, more?: string): Candidate {
  const sentences = [
    ...why,
    ...(agent.priority !== 0 ? [`Priority ${agent.priority}.`] : []),
    ...(more === undefined ? [] : [more]),
  ];
  return {
    agentId: agent.id,
    ...(skill && { skillId: skill.id }),
    ...(textScore !== undefined && { score: textScore }),
    why: sentences.join(' '),
  };
}

/** The rejection of a message for which no agent is found; it lists what could be asked for. */
export function noRoute(problem: string, { providers }: AgentIndex): HubError {
  const skills: string[] = [];
  let more = 0;
  for (const { id, card } of providers) {
    for (const skill of card.skills) {
      if (skills.length < MAX_LISTED_SKILLS) skills.push(hubSkillId(id, skill.id));
      else more++;
    }
  }
  const list = skills.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const offer =
    skills.length > 0 ? `Skills you may use: ${list}.` : 'No skill is available to you.';
  return new HubError('NO_ROUTE', `${problem} ${offer}`, { metadata: { skills: list } });
}
