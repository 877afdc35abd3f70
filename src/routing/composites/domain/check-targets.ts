import type { FieldViolation } from '../../../common/hub-error.js';
import {
  AgentIndex,
  hubSkillId,
  skillOfEitherId,
  splitSkillId,
  type RoutableAgent,
} from '../../domain/agent-index.js';
import { tagMatch } from '../../domain/match.js';
import { nearest } from '../../../common/nearest.js';
import { type CompositeDefinition, namesNothing, type WrittenStep } from './composite.js';

/** An agent of the registry, enabled or not, as far as a target is concerned. */
export type TargetAgent = RoutableAgent & { readonly organizations: readonly string[] | null };

/**
 * What the steps ask for and no registered agent has: all of it, each with its place. Agents that are
 * disabled or not well count: they may be back when a task comes. Agents that nobody of the composite
 * skill's organizations may use do not.
 */
export function checkTargets(
  { steps, organizations }: Pick<CompositeDefinition, 'steps' | 'organizations'>,
  agents: readonly TargetAgent[],
): FieldViolation[] {
  const open =
    organizations === null ? agents : agents.filter((agent) => isOpenTo(agent, organizations));
  const registry = { all: AgentIndex.of(agents), open: AgentIndex.of(open) };
  return steps.flatMap((step, i) => stepProblems(step, `steps[${i}]`, registry));
}

interface Registry {
  readonly all: AgentIndex;
  /** Of them, those that some of the organizations may use. */
  readonly open: AgentIndex;
}

function stepProblems(step: WrittenStep, field: string, { all, open }: Registry): FieldViolation[] {
  // Which is a problem of the step itself.
  if (namesNothing(step)) return [];
  const found = candidatesOf(step, open);
  if (found.length > 0) return quorumProblems(step, field, found);
  if (candidatesOf(step, all).length === 0) return [missing(step, field, all)];
  const description = 'is only for organizations that this composite skill is not for';
  return [{ field: `${field}.${memberOf(step)}`, description }];
}

function memberOf({ agentId, skillId }: WrittenStep): 'agentId' | 'skillId' | 'tags' {
  if (agentId !== undefined) return 'agentId';
  return skillId === undefined ? 'tags' : 'skillId';
}

/** What no agent has. */
function missing(
  { agentId, skillId, tags = [], match }: WrittenStep,
  field: string,
  all: AgentIndex,
): FieldViolation {
  if (agentId !== undefined && !all.agent(agentId)) {
    const ids = all.providers.map(({ id }) => id);
    const description = `"${agentId}" is no agent here${hint(agentId, ids)}`;
    return { field: `${field}.agentId`, description };
  }
  const carried = `${match === 'any' ? 'any' : 'all'} of ${tags.join(', ')}`;
  if (skillId === undefined) {
    const whose = agentId === undefined ? '' : ` of the agent "${agentId}"`;
    return { field: `${field}.tags`, description: `no skill${whose} carries ${carried}` };
  }
  const offering =
    agentId === undefined ? all.providers : all.providers.filter(({ id }) => id === agentId);
  const near = hint(skillId, skillIds(offering, splitSkillId(skillId) !== undefined));
  const tagged = tags.length > 0 ? ` with the tags ${tags.join(', ')}` : '';
  const description =
    agentId === undefined
      ? `no agent offers the skill "${skillId}"${tagged || near}`
      : `"${skillId}" is no skill of the agent "${agentId}"${tagged || near}`;
  return { field: `${field}.skillId`, description };
}

/** Names that may have been meant. */
function hint(wanted: string, names: readonly string[]): string {
  const near = nearest(wanted, names).map((name) => `"${name}"`);
  return near.length > 0 ? `; near it: ${near.join(', ')}` : '';
}

/** Skill ids as agents write them, or as the hub's card does. */
function skillIds(agents: readonly RoutableAgent[], asInCard: boolean): string[] {
  const ids = agents.flatMap(({ id, card }) =>
    card.skills.map((skill) => (asInCard ? hubSkillId(id, skill.id) : skill.id)),
  );
  return [...new Set(ids)];
}

function quorumProblems(
  { quorum }: WrittenStep,
  field: string,
  found: readonly RoutableAgent[],
): FieldViolation[] {
  if (quorum === undefined || quorum <= found.length) return [];
  const who = found.map(({ id }) => id).join(', ');
  const description = `is ${quorum}, but only ${found.length} can be asked: ${who}`;
  return [{ field: `${field}.quorum`, description }];
}

/** The agents of a target; its members narrow each other down. */
function candidatesOf(step: WrittenStep, index: AgentIndex): readonly RoutableAgent[] {
  const { agentId, skillId, tags = [], match = 'all' } = step;
  const named = agentId === undefined ? undefined : [index.agent(agentId)].filter(isThere);
  const skilled = skillId === undefined ? undefined : offering(skillId, named, index);
  const carrying = tags.length === 0 ? undefined : index.withTags(tags, match);
  const [first = [], ...others] = [named, skilled, carrying].filter(isThere);
  return first
    .filter((agent) => others.every((list) => list.includes(agent)))
    .filter((agent) => tags.length === 0 || carries(agent, step));
}

/** Who offers a skill, of the agent that is named if one is. */
function offering(
  skillId: string,
  named: readonly RoutableAgent[] | undefined,
  index: AgentIndex,
): readonly RoutableAgent[] {
  if (named) return named.filter((agent) => skillOfEitherId(agent, skillId));
  return index.offers(skillId).map(({ agent }) => agent);
}

/** One skill carries the tags, and it is the one that is asked for, if one is. */
function carries(
  agent: RoutableAgent,
  { skillId, tags = [], match = 'all' }: WrittenStep,
): boolean {
  const local = skillId === undefined ? undefined : skillOfEitherId(agent, skillId);
  const skills = local ? [local] : agent.card.skills;
  return tagMatch(agent, skills, { tags, match, media: { input: [], output: [] } }) !== undefined;
}

function isOpenTo(agent: TargetAgent, organizations: readonly string[]): boolean {
  return agent.organizations?.some((each) => organizations.includes(each)) ?? true;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
