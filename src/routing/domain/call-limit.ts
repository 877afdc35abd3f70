import { HubError, invalidField } from '../../common/hub-error.js';
import { fieldOf, type RoutingDirective } from '../../protocol/routing-extension.js';
import { planOf, type Route } from './route.js';
import { policyOf } from './strategy/step-policies.js';

/**
 * The messages to agents that a task of this route may take. `setting` is what the hub allows where a
 * composite skill says nothing else: an operator's plan may need more, a client may only ask for less.
 */
export function maxCallsOf(
  { composite, maxCalls }: Pick<Route, 'composite' | 'maxCalls'>,
  setting: number,
): number {
  if (maxCalls === undefined) return setting;
  return composite === undefined ? Math.min(maxCalls, setting) : maxCalls;
}

/**
 * Throws HubError INVALID_PARAMS when not even the first messages of a task fit the calls it may make. It
 * says whose limit that is, and names the client's field where it is the client's.
 */
export function checkFirstCalls(
  route: Route,
  directive: Pick<RoutingDirective, 'maxCalls'>,
  setting: number,
): void {
  const maxCalls = maxCallsOf(route, setting);
  const first = firstCallsOf(route);
  if (first <= maxCalls) return;
  if (directive.maxCalls === maxCalls) {
    throw invalidField(
      fieldOf(directive, 'maxCalls'),
      `is ${maxCalls}, but ${first} agents are asked at once; allow more calls or ask fewer agents`,
    );
  }
  throw new HubError(
    'INVALID_PARAMS',
    `${first} agents are asked at once, but ${limitOf(route, maxCalls, setting)}`,
  );
}

/** Who of the operator's has set the limit, and what can be done about it. */
function limitOf({ composite, maxCalls: said }: Route, maxCalls: number, setting: number): string {
  if (composite !== undefined) {
    return `composite skill "${composite.id}" may send ${maxCalls} messages to agents; the operator may raise its maxCalls, or tasks.maxCalls where it has none`;
  }
  const fewer = 'ask fewer agents (maxAgents)';
  return said !== undefined && said < setting
    ? `a rule of the operator allows ${maxCalls} messages to agents (maxCalls); ${fewer}, or ask for another maxCalls`
    : `the hub allows ${maxCalls} messages to agents for a task (tasks.maxCalls); ${fewer}, or let the operator raise it`;
}

/** The messages that are sent as soon as there is the task: of the steps that wait for no other. */
function firstCallsOf(route: Route): number {
  return planOf(route)
    .filter(({ after }) => after.length === 0)
    .reduce(
      (sum, { strategy, chosen }) => sum + (policyOf(strategy).fansOut ? chosen.length : 1),
      0,
    );
}
