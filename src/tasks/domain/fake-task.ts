import { IdSource } from '../../common/ids.js';
import { TaskState } from '../../protocol/a2a.js';
import type { StreamResponse, Task } from '../../protocol/a2a.js';
import { textOf } from '../../protocol/build.js';
import {
  applyEvent,
  applyHeld,
  cloneHeld,
  cloneTask,
  emptyTask,
} from '../../protocol/task-reducer.js';
import type { RequirePolicy } from '../../protocol/routing-extension.js';
import { isTerminal } from '../../protocol/task-state.js';
import {
  type Plan,
  type PlanStep,
  type Route,
  type StepStrategy,
  stepStrategyOf,
} from '../../routing/index.js';
import type {
  Delegation,
  EventKind,
  NewEvent,
  TaskAggregate,
  TaskChange,
  TaskRecord,
} from '../task.js';
import { patched } from './delegation-times.js';
import type { Why } from './end-delegation.js';
import { userMessage } from './fake-events.js';
import { decideAgentEvent } from './take-event.js';

/** The clock of these tests. */
export const NOW = new Date('2026-01-01T00:00:00Z');

/** Why a delegation is ended, with this text. */
export function why(reason: string): Why {
  return { reason, code: 'AGENT_UNREACHABLE' };
}

/** Counts: `id-1`, `id-2` … */
export class CountingIds extends IdSource {
  private last = 0;

  next(): string {
    return `id-${++this.last}`;
  }

  secret(): string {
    return this.next();
  }

  jitter(): number {
    return 0;
  }
}

export interface FakeTaskOptions {
  /** One delegation per agent; its id is `d-` and the agent's. */
  readonly agents?: readonly string[];
  readonly strategy?: StepStrategy;
  readonly require?: RequirePolicy;
  readonly quorum?: number;
  /** Instead of `agents`: the steps of the task, each agent once. */
  readonly plan?: Plan;
  readonly maxCalls?: number;
  readonly allowReply?: boolean;
  readonly deadlineAt?: Date | null;
  readonly delegation?: Partial<Delegation>;
}

/** A hub task in memory: commits decisions as the log does, and refuses what the log must never see. */
export class FakeTask {
  aggregate: TaskAggregate;
  readonly log: NewEvent[] = [];
  readonly ids = new CountingIds();

  constructor({ agents = ['a'], ...options }: FakeTaskOptions = {}) {
    const message = userMessage('m1', 'hello');
    const route = routeOf(agents, options);
    const plan = options.plan ?? [planStep('task', agents, stepOf(route))];
    this.aggregate = {
      task: applyEvent(emptyTask('task', 'context'), { $case: 'message', value: message }),
      held: [],
      record: {
        ...RECORD,
        allowReply: options.allowReply ?? false,
        deadlineAt: options.deadlineAt ?? null,
        route,
        plan,
      },
      delegations: plan
        .flatMap((step, index) =>
          step.chosen.map(({ agentId }) => ({
            ...DELEGATION,
            id: `d-${agentId}`,
            agentId,
            agentName: `Agent ${agentId}`,
            step: index,
            ...(step.after.length > 0 && PLANNED),
            ...options.delegation,
          })),
        )
        .map((each, position) => ({ ...each, position })),
    };
  }

  get state(): string {
    return stateName(this.aggregate.record.state);
  }

  get task(): Task {
    return this.aggregate.task;
  }

  delegation(agentId = 'a'): Delegation {
    const found = this.aggregate.delegations.find((each) => each.id === `d-${agentId}`);
    if (!found) throw new Error(`no delegation to ${agentId}`);
    return found;
  }

  /** What the runner's claim does. */
  claim(agentId = 'a'): this {
    return this.change(agentId, { state: 'sending', owner: 'runner' });
  }

  /** Changes a delegation behind the decisions' back. */
  change(agentId: string, patch: Partial<Delegation>, now = NOW): this {
    return this.commit({ events: [], delegations: [{ id: `d-${agentId}`, ...patch }] }, now);
  }

  /** What the agent says, decided and committed. */
  agent(event: StreamResponse, agentId = 'a', now = NOW): TaskChange {
    const change = decideAgentEvent(this.aggregate, `d-${agentId}`, event, now, this.ids);
    this.commit(change, now);
    return change;
  }

  commit({ events, delegations = [], record }: TaskChange, now = NOW): this {
    const task = cloneTask(this.aggregate.task);
    const held = cloneHeld(this.aggregate.held);
    for (const event of events) {
      if (isTerminal(task.status?.state ?? 0)) throw new Error('an event after the end');
      applyHeld(held, event.payload, event.kind);
      applyEvent(task, event.payload, event.kind);
      this.log.push(event);
    }
    this.aggregate = {
      task,
      held,
      record: {
        ...this.aggregate.record,
        ...record,
        seq: this.aggregate.record.seq + events.length,
        state: task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED,
      },
      delegations: this.aggregate.delegations.map((each) => {
        const patch = delegations.find(({ id }) => id === each.id);
        return patch === undefined ? each : patched(each, patch, now);
      }),
    };
    return this;
  }

  /** The log in short: `status WORKING: text`, `artifact id+`, … */
  story(): string[] {
    return this.log.map(storyOf);
  }
}

function routeOf(agents: readonly string[], options: FakeTaskOptions): Route {
  const { strategy, require = 'all', quorum, plan, maxCalls } = options;
  return {
    reason: 'tags',
    strategy: strategy ?? (agents.length > 1 ? 'all' : 'one'),
    require,
    ...(quorum !== undefined && { quorum }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(plan !== undefined && { plan }),
    chosen: agents.map((agentId) => ({ agentId, why: '' })),
    skipped: [],
  };
}

function stepOf({ strategy, require, quorum }: Route): Partial<PlanStep> {
  return {
    strategy: stepStrategyOf(strategy) ?? 'one',
    require,
    ...(quorum !== undefined && { quorum }),
  };
}

/** A step of `agents` that begins with the task and gives its result, unless `options` differ. */
export function planStep(
  name: string,
  agents: readonly string[],
  options: Partial<PlanStep> = {},
): PlanStep {
  return {
    name,
    strategy: agents.length > 1 ? 'all' : 'one',
    require: 'all',
    chosen: agents.map((agentId) => ({ agentId, why: '' })),
    inputs: [{ from: 'message' }],
    after: [],
    isResult: true,
    isOptional: false,
    ...options,
  };
}

function stateName(state: TaskState): string {
  return TaskState[state].replace('TASK_STATE_', '');
}

function storyOf({ kind, payload }: { kind: EventKind; payload: NewEvent['payload'] }): string {
  switch (payload.$case) {
    case 'statusUpdate': {
      const { status } = payload.value;
      const text = textOf(status?.message);
      const state = stateName(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
      return text ? `${kind} ${state}: ${text}` : `${kind} ${state}`;
    }
    case 'artifactUpdate': {
      const { artifact, append, lastChunk } = payload.value;
      const text = artifact?.parts.map((part) => part.content?.value as string).join('|');
      return `${kind} ${artifact?.artifactId}${append ? '+' : '='}${text}${lastChunk ? '.' : ''}`;
    }
    case 'message':
      return `${kind} ${textOf(payload.value)}`;
    case 'task':
      return kind;
  }
}

/** A task after its first update, in part. */
export const RECORD: Omit<TaskRecord, 'route' | 'plan' | 'allowReply' | 'deadlineAt'> = {
  id: 'task',
  contextId: 'context',
  principalId: 'p',
  organization: 'o',
  state: TaskState.TASK_STATE_SUBMITTED,
  statusAt: NOW,
  seq: 2,
  cancelRequestedAt: null,
  cancelMetadata: null,
  keyId: null,
  identityId: null,
  issuer: null,
  chain: null,
  keepsToken: false,
  requestId: null,
  traceparent: null,
  tracestate: null,
  extensions: [],
  hops: [],
  acceptedOutputModes: [],
  requestMetadata: null,
  createdAt: NOW,
  updatedAt: NOW,
};

const DELEGATION: Omit<Delegation, 'id' | 'agentId' | 'agentName' | 'position'> = {
  taskId: 'task',
  organization: 'o',
  principalId: 'p',
  step: 0,
  skillId: null,
  agentSince: NOW,
  state: 'sending',
  calls: 1,
  messageSeq: 2,
  downstreamTaskId: null,
  downstreamContextId: null,
  fallbacks: [],
  progress: { artifacts: [] },
  reason: null,
  cancelPending: false,
  epoch: 1,
  owner: 'runner',
  leaseUntil: null,
  deadlineAt: new Date('2026-01-02T00:00:00Z'),
  begunAt: NOW,
  createdAt: NOW,
  updatedAt: NOW,
};

const PLANNED = { state: 'planned', calls: 0, epoch: 0, owner: null, begunAt: null } as const;
