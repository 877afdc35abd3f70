import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import type { RoutableAgent } from './agent-index.js';
import { RouteChooser } from './choose.js';
import type { TextFinding } from './find-text.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import type { PlanStep } from './plan.js';
import type { RoutingQuestion } from './question.js';
import type { Route } from './route.js';

/** An agent with these skills. */
export const agent = (id: string, skills: AgentSkill[], priority = 0): RoutableAgent =>
  aRoutableAgent(id, skills, { priority });

/** Two that read, of which b comes first, and one that writes. */
export const AGENTS = [
  agent('a', [aSkill('read', ['read'])]),
  agent('b', [aSkill('read', ['read'])], 5),
  agent('w', [aSkill('write', ['write'])]),
];

/** The route of a message with this directive to {@link AGENTS}. */
export function route(
  directive: RoutingDirective,
  more: Partial<RoutingQuestion> = {},
  text?: TextFinding,
): Route {
  const chooser = new RouteChooser(questionTo(AGENTS, { directive, ...more }));
  return chooser.named() ?? chooser.unnamed(text);
}

/** The ids of the agents that a step asks, in order. */
export const agentsOf = ({ chosen }: Pick<PlanStep, 'chosen'>): string[] =>
  chosen.map(({ agentId }) => agentId);
