import { merged } from '../../common/merged.js';
import type { Agent } from '../../agents/index.js';
import { hasScope, type Principal } from '../../auth/index.js';
import type { IdSource } from '../../common/ids.js';
import { MEMBERS_OF } from '../../protocol/strategies.js';
import { storable } from '../../database/text.js';
import { TaskState, type Message } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import {
  requestedExtensions,
  maxCallsOf,
  planOf,
  type Candidate,
  type HubRequest,
  type PlanStep,
  type Route,
  policyOf,
} from '../../routing/index.js';
import { agentName } from '../domain/agent-name.js';
import { retryByOperator } from '../domain/operator-actions.js';
import { shortAgents } from '../domain/short-route.js';
import {
  FIRST_MESSAGE_SEQ,
  type Delegation,
  type NewDelegation,
  type NewTask,
  type TaskChange,
  type TaskRecord,
} from '../task.js';
import { idempotencyOf } from './fingerprint.js';

/** A place in the plan of a route that becomes a delegation. */
export interface Delegate {
  /** The step, counted from 0. */
  readonly step: number;
  readonly candidate: Candidate;
}

/** An agent of a route as a delegation needs it. */
export interface ChosenAgent extends Delegate {
  readonly agent: Agent;
  /** The agent's own context for this one of the hub, when it has one already. */
  readonly downstreamContextId: string | undefined;
}

/** What a task may take when its route and its agents do not say. */
export interface TaskLimits {
  /** How long an agent may work in all. */
  readonly totalMs: number;
  /** How long a task may be open, whatever its route says. */
  readonly maxDurationMs: number;
  /** Messages to agents. A client may ask for less, a composite skill for another number. */
  readonly maxCalls: number;
}

/** What was chosen for a request that begins a task. */
export interface Choice {
  readonly id: string;
  readonly contextId: string;
  readonly route: Route;
  /** Who gets a delegation: those of {@link delegatesOf}. */
  readonly agents: readonly ChosenAgent[];
  /** See {@link TaskRecord.keepsToken}. */
  readonly keepsToken: boolean;
}

/**
 * Who gets a delegation, step by step: of strategy `one` the first of the candidates (the others take
 * over from it), else each.
 */
export function delegatesOf(route: Route): Delegate[] {
  return planOf(route).flatMap(({ strategy, chosen }, step) =>
    (policyOf(strategy).fansOut ? chosen : chosen.slice(0, 1)).map((candidate) => ({
      step,
      candidate,
    })),
  );
}

/** The task a request begins, ready to be created. */
export function newTask(
  request: HubRequest,
  { id, contextId: chosenContextId, route: chosenRoute, agents, keepsToken }: Choice,
  limits: TaskLimits,
  now: Date,
  ids: IdSource,
): NewTask {
  const { retry, principal } = request;
  const route = merged(chosenRoute, { maxCalls: maxCallsOf(chosenRoute, limits.maxCalls) });
  const plan = planOf(route);
  const delegations = agents.map((each, position) =>
    newDelegation(ids.next(), position, each, plan[each.step] as PlanStep, limits, now),
  );
  const durationMs = Math.min(route.deadlineMs ?? Infinity, limits.maxDurationMs);
  const record: TaskRecord = {
    id,
    contextId: storable(chosenContextId),
    principalId: principal.id,
    organization: principal.organization,
    state: TaskState.TASK_STATE_SUBMITTED,
    statusAt: now,
    seq: 0,
    route,
    plan,
    allowReply: agents.length === 1 && !request.returnImmediately,
    cancelRequestedAt: null,
    cancelMetadata: null,
    deadlineAt: after(now, durationMs),
    keyId: principal.keyId ?? null,
    identityId: principal.identityId ?? null,
    issuer: principal.issuer ?? null,
    chain: principal.chain ?? null,
    keepsToken,
    requestId: request.note?.id ?? null,
    traceparent: request.traceparent ?? null,
    tracestate: request.tracestate ?? null,
    extensions: requestedExtensions(request.extensions, request.message),
    hops: request.hops,
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    requestMetadata: retry ? retryByOperator(request.metadata, retry) : (request.metadata ?? null),
    createdAt: now,
    updatedAt: now,
  };
  const metadata = {
    [ROUTING_EXTENSION_URI]: {
      ...shortRoute(route, principal, delegations),
      ...(retry && { retryOf: retry.taskId }),
    },
  };
  return {
    record,
    firstUpdate: firstUpdate(record, request.message, metadata, delegations),
    idempotency: idempotencyOf(request, now),
  };
}

/** What creates a task: the task itself with its metadata, the client's message, and the delegations. */
export function firstUpdate(
  record: TaskRecord,
  message: Message,
  metadata: Readonly<Record<string, unknown>>,
  delegations: readonly NewDelegation[],
): TaskChange {
  const { id, contextId, state, createdAt } = record;
  const task = {
    ...emptyTask(id, contextId),
    status: { state, message: undefined, timestamp: createdAt.toISOString() },
    metadata: { ...metadata },
  };
  return {
    events: [
      { kind: 'task', payload: { $case: 'task', value: task } },
      {
        kind: 'message',
        payload: { $case: 'message', value: { ...message, taskId: id, contextId } },
      },
    ],
    begins: delegations.map((each) => firstDelegation(each, record)),
  };
}

function firstDelegation(
  begun: NewDelegation,
  { id: taskId, organization, principalId, createdAt }: TaskRecord,
): Delegation {
  return {
    id: begun.id,
    taskId,
    position: begun.position,
    step: begun.step,
    agentId: begun.agentId,
    agentName: begun.agentName,
    agentSince: begun.agentSince,
    organization,
    principalId,
    skillId: begun.skillId,
    state: begun.state,
    messageSeq: FIRST_MESSAGE_SEQ,
    calls: 0,
    downstreamTaskId: null,
    downstreamContextId: begun.downstreamContextId,
    fallbacks: begun.fallbacks,
    progress: { artifacts: [] },
    reason: null,
    cancelPending: false,
    epoch: 0,
    owner: null,
    leaseUntil: null,
    deadlineAt: begun.deadlineAt,
    begunAt: begun.state === 'queued' ? createdAt : null,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Steps that wait for no other begin with the task. */
function newDelegation(
  id: string,
  position: number,
  { candidate, agent, step, downstreamContextId }: ChosenAgent,
  { strategy, chosen, after: conditions, deadlineMs = Infinity }: PlanStep,
  limits: TaskLimits,
  now: Date,
): NewDelegation {
  return {
    id,
    position,
    agentId: agent.id,
    agentName: agentName(agent),
    agentSince: agent.createdAt,
    skillId: candidate.skillId ?? null,
    step,
    state: conditions.length === 0 ? 'queued' : 'planned',
    downstreamContextId: downstreamContextId ?? null,
    fallbacks: policyOf(strategy).fansOut ? [] : chosen.slice(1).map(targetOf),
    deadlineAt: after(now, Math.min(agent.budgets.totalMs ?? limits.totalMs, deadlineMs)),
  };
}

function targetOf({ agentId, skillId }: Candidate): { agentId: string; skillId?: string } {
  return { agentId, ...(skillId !== undefined && { skillId }) };
}

/**
 * What the client sees of the route: who was chosen, by what, in which steps. The operator's rules are
 * for those to know who may manage them.
 */
function shortRoute(
  route: Route,
  principal: Principal,
  delegations: readonly NewDelegation[],
): object {
  const { reason, strategy, require, quorum, rule, composite } = route;
  const plan = planOf(route);
  const hasRequirement = strategy !== 'plan' && MEMBERS_OF[strategy].hasRequirement;
  return {
    reason,
    strategy,
    ...(hasRequirement && { require }),
    ...(hasRequirement && require === 'quorum' && { quorum }),
    ...(rule !== undefined && hasScope(principal, 'routing') && { ruleId: rule.id }),
    ...(composite !== undefined && { composite }),
    ...(plan.length > 1 && { steps: plan.map(({ name }) => name) }),
    agents: shortAgents(plan, delegations),
  };
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
