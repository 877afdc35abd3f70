import { merged } from '../../common/merged.js';
import type { Artifact, Message, TaskState } from '../../protocol/a2a.js';
import { agentMessage, statusUpdate, type Payload, type TaskRef } from '../../protocol/build.js';
import { applyHeld, cloneHeld } from '../../protocol/task-reducer.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { Plan, PlanStep } from '../../routing/index.js';
import {
  NO_CHANGE,
  type Delegation,
  type DelegationPatch,
  type EventKind,
  type NewEvent,
  type SentWith,
  type TaskAggregate,
  type TaskChange,
} from '../task.js';
import { shortRouteNow } from './short-route.js';
import { hubMessageId, originOf, type Origin } from './own-ids.js';

type Patch = Omit<DelegationPatch, 'id'>;

/**
 * A change in the making: what a decision has added so far, and the task as it would be with it.
 * The aggregate itself is never touched. After a terminal status it takes no further event.
 */
export class Draft {
  readonly ref: TaskRef;
  /** The steps of the task. */
  readonly plan: Plan;
  private readonly events: NewEvent[] = [];
  private readonly patches = new Map<string, Patch>();
  /** The delegations with their patches. */
  private readonly patched = new Map<string, Delegation>();
  private readonly questions = new Map<string, Message>();
  private recordPatch: TaskChange['record'];
  private currentState: TaskState;
  private routeShown = false;

  constructor(
    readonly aggregate: TaskAggregate,
    readonly now: Date,
  ) {
    this.ref = { taskId: aggregate.record.id, contextId: aggregate.record.contextId };
    this.currentState = aggregate.record.state;
    this.plan = aggregate.record.plan;
  }

  /** The task's state with this change. */
  get state(): TaskState {
    return this.currentState;
  }

  get ended(): boolean {
    return isTerminal(this.currentState);
  }

  /** Several agents work on this task: its status messages are the hub's. */
  get several(): boolean {
    return this.aggregate.delegations.length > 1;
  }

  /** The step of the plan that a delegation belongs to. */
  stepOf({ step }: Pick<Delegation, 'step'>): PlanStep {
    const found = this.plan[step];
    if (!found) throw new Error(`task ${this.ref.taskId} has no step ${step}`);
    return found;
  }

  /** Where something comes from; the step is named when there are several. */
  originOf(delegation: Delegation): Origin {
    const { name } = this.stepOf(delegation);
    return { ...originOf(delegation), ...(this.plan.length > 1 && { step: name }) };
  }

  /** The artifacts that do not count yet, with this change. */
  held(): readonly Artifact[] {
    const held = cloneHeld(this.aggregate.held);
    for (const { payload, kind } of this.events) applyHeld(held, payload, kind);
    return held;
  }

  /** The seq the next event will get. */
  get nextSeq(): number {
    return this.aggregate.record.seq + this.events.length + 1;
  }

  /** The delegations with this change. */
  delegations(): Delegation[] {
    return this.aggregate.delegations.map((each) => this.patched.get(each.id) ?? each);
  }

  /** One delegation with this change. */
  delegation(id: string): Delegation | undefined {
    return this.patched.get(id) ?? this.aggregate.delegations.find((each) => each.id === id);
  }

  patch(id: string, patch: Patch): void {
    const before = this.patches.get(id);
    this.patches.set(id, before === undefined ? patch : merged(before, patch));
    const delegation = this.delegation(id);
    if (delegation !== undefined) this.patched.set(id, { ...delegation, ...patch });
  }

  patchRecord(patch: NonNullable<TaskChange['record']>): void {
    this.recordPatch = { ...this.recordPatch, ...patch };
  }

  emit(kind: EventKind, payload: Payload, sentWith?: SentWith): void {
    if (!this.ended) this.events.push({ kind, payload, ...(sentWith && { sentWith }) });
  }

  /** The first status after a failover also names the new agent, in the task's metadata. */
  emitStatus(state: TaskState, message?: Message, metadata?: Record<string, unknown>): void {
    if (this.ended) return;
    const shown = { ...metadata, ...this.newRoute() };
    const all = Object.keys(shown).length > 0 ? shown : undefined;
    this.emit('status', statusUpdate(this.ref, state, this.now, message, all));
    this.currentState = state;
  }

  /** A message of the hub itself. */
  say(parts: Parameters<typeof agentMessage>[2], metadata?: Record<string, unknown>): Message {
    return agentMessage(hubMessageId(this.ref.taskId, this.nextSeq), this.ref, parts, metadata);
  }

  /** Keeps the question of a delegation for the status that will name it. */
  addQuestion(delegationId: string, question: Message): void {
    this.questions.set(delegationId, question);
  }

  questionOf(delegationId: string): Message | undefined {
    return this.questions.get(delegationId);
  }

  change(): TaskChange {
    if (this.events.length === 0 && this.patches.size === 0 && !this.recordPatch) return NO_CHANGE;
    return {
      events: this.events,
      delegations: [...this.patches].map(([id, patch]) => ({ id, ...patch })),
      ...(this.recordPatch && { record: this.recordPatch }),
    };
  }

  private newRoute(): Record<string, object> | undefined {
    if (this.routeShown) return undefined;
    this.routeShown = true;
    return shortRouteNow(this.aggregate.task, this.plan, this.delegations());
  }
}
