import type { Agent } from '../../agents/index.js';
import type { IdSource } from '../../common/ids.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import {
  askedExtensions,
  type Candidate,
  type HubRequest,
  type Route,
} from '../../routing/index.js';
import type { NewTask } from '../task.js';
import { idempotencyOf } from './fingerprint.js';

/** An agent of a route as a delegation needs it. */
export interface ChosenAgent {
  readonly candidate: Candidate;
  readonly agent: Agent;
  /** The agent's own context for this one of the hub, when it has one already. */
  readonly downstreamContextId: string | undefined;
}

export interface NewTaskInput {
  readonly id: string;
  readonly contextId: string;
  readonly request: HubRequest;
  readonly route: Route;
  /** Who gets a delegation: the first of the route for `one`, all of it for `all`. */
  readonly agents: readonly ChosenAgent[];
  /** How long an agent may take in all when its own budget does not say. */
  readonly defaultTotalMs: number;
}

/** The candidates of a route that get a delegation of their own. */
export function delegatesOf(route: Route): readonly Candidate[] {
  return route.strategy === 'all' ? route.chosen : route.chosen.slice(0, 1);
}

/** The task a request begins, ready to be created. */
export function newTask(input: NewTaskInput, now: Date, ids: IdSource): NewTask {
  const { request, route, agents } = input;
  return {
    id: input.id,
    contextId: input.contextId,
    principal: request.principal,
    route,
    message: { ...request.message, taskId: input.id, contextId: input.contextId },
    allowReply: agents.length === 1 && !request.returnImmediately,
    deadlineAt: route.deadlineMs === undefined ? null : after(now, route.deadlineMs),
    traceparent: request.traceparent ?? null,
    extensions: askedExtensions(request.extensions, request.message),
    hops: request.hops,
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    requestMetadata: request.metadata ?? null,
    delegations: agents.map(({ candidate, agent, downstreamContextId }, position) => ({
      id: ids.next(),
      agentId: agent.id,
      agentName: agent.card.name || agent.id,
      skillId: candidate.skillId ?? null,
      position,
      downstreamContextId: downstreamContextId ?? null,
      fallbacks: route.strategy === 'one' ? route.chosen.slice(1).map(fallback) : [],
      deadlineAt: after(now, agent.budgets.totalMs ?? input.defaultTotalMs),
    })),
    metadata: { [ROUTING_EXTENSION_URI]: shortRoute(route) },
    idempotency: idempotencyOf(request, now),
  };
}

function fallback({ agentId, skillId }: Candidate): { agentId: string; skillId?: string } {
  return { agentId, ...(skillId !== undefined && { skillId }) };
}

/** What the client sees of the route: who was chosen and by which rule. */
function shortRoute(route: Route): object {
  return {
    reason: route.reason,
    strategy: route.strategy,
    ...(route.strategy === 'all' && { require: route.require }),
    agents: delegatesOf(route).map(fallback),
  };
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
