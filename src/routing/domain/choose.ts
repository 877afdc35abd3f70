import { HubError, invalidField } from '../../common/hub-error.js';
import { DIRECTIVE_LIMITS, type RoutingDirective } from '../../protocol/routing-extension.js';
import {
  AgentIndex,
  hubSkillId,
  skillOf,
  splitSkillId,
  type RoutableAgent,
} from './agent-index.js';
import { extensionsRequired, missingExtensions } from './extensions.js';
import { byRank, plainMatch, tagMatch, type Match, type Wanted } from './match.js';
import type { MediaTypes } from './media-types.js';
import type { Candidate, Route, RouteReason } from './route.js';

/** Agents that take over in turn when those before them do not accept the work. */
const MAX_FALLBACKS = 5;

/** Agents left out that a route names; a route is stored with every task. */
const MAX_SKIPPED = 20;

/** Skills that a rejection lists. */
const MAX_LISTED_SKILLS = 50;

/** Everything the choice depends on. */
export interface RoutingQuestion {
  /** The agents this caller may use. */
  readonly agents: readonly RoutableAgent[];
  readonly directive: RoutingDirective;
  /** The agent that the door names (sub-path or tenant). */
  readonly agentId: string | undefined;
  /** The agents that handled the last message of this context, in order. */
  readonly affinity: readonly string[];
  readonly defaultAgent: string | null;
  readonly media: MediaTypes;
  /** The extensions the client asked for. */
  readonly extensions: readonly string[];
}

/** What a rule found: matches in the order to be asked, and what it left out. */
interface Found {
  readonly reason: RouteReason;
  readonly matches: readonly Match[];
  readonly skipped?: readonly Candidate[];
}

/**
 * Chooses the agents for a message that begins a task. The first rule that applies decides: the agent
 * the door names, the agent, skill or tags the message asks for, the agents of the context, the
 * default agent. Throws HubError NO_ROUTE (with the skills the caller may use) when a rule applies and
 * finds nobody, or none applies; EXTENSION_SUPPORT_REQUIRED when everybody it finds insists on an
 * extension nobody asked for; INVALID_PARAMS when the message contradicts itself.
 */
export function chooseRoute(question: RoutingQuestion): Route {
  const index = AgentIndex.of(question.agents);
  const found =
    byAgent(question, index) ??
    bySkill(question, index) ??
    byTags(question, index) ??
    byAffinity(question, index) ??
    byDefault(question, index);
  if (!found) throw noRoute('The message names no agent, skill or tags.', index);
  return routeOf(withoutUnasked(found, question.extensions), question.directive);
}

/** Leaves out the agents that insist on an extension which was not asked for (A2A §4.6.1). */
function withoutUnasked(found: Found, asked: readonly string[]): Found {
  const judged = found.matches.map((match) => ({
    match,
    missing: missingExtensions(match.agent, asked),
  }));
  const left = judged.filter(({ missing }) => missing.length === 0);
  if (left.length === judged.length) return found;
  if (left.length === 0) {
    throw extensionsRequired([...new Set(judged.flatMap(({ missing }) => missing))]);
  }
  const skipped = judged
    .filter(({ missing }) => missing.length > 0)
    .map(({ match, missing }) =>
      candidateOf(match, `Requires ${missing.join(', ')}, which was not asked for.`),
    );
  return {
    ...found,
    matches: left.map(({ match }) => match),
    skipped: [...(found.skipped ?? []), ...skipped],
  };
}

function byAgent(question: RoutingQuestion, index: AgentIndex): Found | undefined {
  const { directive, media } = question;
  const byDoor = question.agentId !== undefined;
  const id = question.agentId ?? directive.agentId;
  if (id === undefined) return undefined;
  const agent = index.agent(id);
  if (!agent) throw noRoute(`No agent "${id}" is registered and enabled.`, index);
  const skill = namedSkill(agent, directive, byDoor, index);
  const how = byDoor ? 'Named by the address of the request.' : 'Named by agentId.';
  const wanted = wantedOf(question);
  const tagged =
    !skill && wanted.tags.length > 0
      ? tagMatch(agent, agent.card.skills, wanted)?.skill
      : undefined;
  return { reason: 'agent', matches: [plainMatch(agent, skill ?? tagged, how, media)] };
}

/** The skill that is asked for beside a named agent, which must have it unless the door named it. */
function namedSkill(
  agent: RoutableAgent,
  { skillId }: RoutingDirective,
  byDoor: boolean,
  index: AgentIndex,
): ReturnType<typeof skillOf> {
  if (skillId === undefined) return undefined;
  const split = splitSkillId(skillId);
  const local = split?.agentId === agent.id ? skillOf(agent, split.skillId) : undefined;
  const skill = local ?? skillOf(agent, skillId);
  if (skill || byDoor) return skill;
  if (split && split.agentId !== agent.id && index.agent(split.agentId)) {
    throw invalidField('skillId', `"${skillId}" is not a skill of the agent "${agent.id}"`);
  }
  throw noRoute(`The agent "${agent.id}" has no skill "${skillId}".`, index);
}

function bySkill(question: RoutingQuestion, index: AgentIndex): Found | undefined {
  const { skillId } = question.directive;
  if (skillId === undefined) return undefined;
  const wanted = wantedOf(question);
  const why = `Offers the skill "${skillId}".`;
  const offers = offersOf(skillId, index);
  const matches = offers.flatMap(({ agent, skill }) => {
    if (wanted.tags.length === 0) return [plainMatch(agent, skill, why, wanted.media)];
    const tagged = tagMatch(agent, skill ? [skill] : [], wanted);
    return tagged ? [{ ...tagged, skill, why: [why, ...tagged.why] }] : [];
  });
  if (matches.length > 0) return { reason: 'skill', matches: matches.sort(byRank) };
  const problem = offers.length > 0 ? ' with these tags' : '';
  throw noRoute(`No agent offers the skill "${skillId}"${problem}.`, index);
}

/** Who offers a skill: the agent of the hub's form `agentId.skillId`, else all that share the id. */
function offersOf(
  id: string,
  index: AgentIndex,
): { agent: RoutableAgent; skill: ReturnType<typeof skillOf> }[] {
  const split = splitSkillId(id);
  const agent = split && index.agent(split.agentId);
  const skill = agent && skillOf(agent, split.skillId);
  if (split && agent && skill) return [{ agent, skill }];
  return index.withSkill(id).map((each) => ({ agent: each, skill: skillOf(each, id) }));
}

function byTags(question: RoutingQuestion, index: AgentIndex): Found | undefined {
  const wanted = wantedOf(question);
  if (wanted.tags.length === 0) return undefined;
  const matches = index
    .withTags(wanted.tags, wanted.match)
    .flatMap((agent) => tagMatch(agent, agent.card.skills, wanted) ?? []);
  if (matches.length > 0) return { reason: 'tags', matches: matches.sort(byRank) };
  const how = wanted.match === 'all' ? 'all of' : 'any of';
  throw noRoute(`No skill carries ${how} the tags ${wanted.tags.join(', ')}.`, index);
}

/** The agents of the context in their order. None left usable: as if it had none. */
function byAffinity({ affinity, media }: RoutingQuestion, index: AgentIndex): Found | undefined {
  const why = 'Handled the last message of this context.';
  const usable = affinity.flatMap((id) => index.agent(id) ?? []);
  if (usable.length === 0) return undefined;
  return {
    reason: 'affinity',
    matches: usable.map((agent) => plainMatch(agent, undefined, why, media)),
    skipped: goneOf(affinity, index),
  };
}

function byDefault(question: RoutingQuestion, index: AgentIndex): Found | undefined {
  const { defaultAgent, affinity, media } = question;
  if (defaultAgent === null) return undefined;
  const agent = index.agent(defaultAgent);
  if (!agent) throw noRoute(`The default agent "${defaultAgent}" is not available.`, index);
  return {
    reason: 'default',
    matches: [plainMatch(agent, undefined, 'The default agent.', media)],
    skipped: goneOf(affinity, index),
  };
}

function goneOf(affinity: readonly string[], index: AgentIndex): Candidate[] {
  return affinity
    .filter((id) => !index.agent(id))
    .map((agentId) => ({
      agentId,
      why: 'Handled the last message of this context, but is not available.',
    }));
}

function wantedOf({ directive, media }: RoutingQuestion): Wanted {
  return { tags: directive.tags ?? [], match: directive.match ?? 'all', media };
}

function routeOf({ reason, matches, skipped = [] }: Found, directive: RoutingDirective): Route {
  const strategy = directive.strategy ?? 'one';
  const maximum =
    strategy === 'all' ? (directive.maxAgents ?? DIRECTIVE_LIMITS.maxAgents) : 1 + MAX_FALLBACKS;
  const over = `Over the maximum of ${maximum}.`;
  const left = matches.slice(maximum).map((match) => candidateOf(match, over));
  return {
    reason,
    strategy,
    require: directive.require ?? 'all',
    ...(strategy === 'all' &&
      directive.deadlineSeconds !== undefined && {
        deadlineMs: Math.ceil(directive.deadlineSeconds * 1000),
      }),
    chosen: matches.slice(0, maximum).map((match) => candidateOf(match)),
    skipped: [...skipped, ...left].slice(0, MAX_SKIPPED),
  };
}

function candidateOf({ agent, skill, why }: Match, more?: string): Candidate {
  const sentences = [
    ...why,
    ...(agent.priority !== 0 ? [`Priority ${agent.priority}.`] : []),
    ...(more === undefined ? [] : [more]),
  ];
  return { agentId: agent.id, ...(skill && { skillId: skill.id }), why: sentences.join(' ') };
}

function noRoute(problem: string, { agents }: AgentIndex): HubError {
  const skills: string[] = [];
  let more = 0;
  for (const { id, card } of agents) {
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
