import {
  type Agent,
  type AgentBudgets,
  type AgentCallOptions,
  budgetsOf,
} from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { StreamResponse, Task } from '../../protocol/a2a.js';
import { inSteps } from '../domain/large-task.js';
import { decideFailover, decideOutcome } from '../domain/delegation-decisions.js';
import { decideAwaitAuthorization } from '../domain/decide-await-authorization.js';
import { decideAgentEvent } from '../domain/take-event.js';
import type { End, Why } from '../domain/end-delegation.js';
import { namesBy } from '../domain/agent-name.js';
import { agentCallOptions, hopsOf } from './call-options.js';
import { awaitsAuthorization, isEnded, isWaiting } from '../domain/delegation-state.js';
import { decideConnectionNotice, awaitsBreaker } from '../domain/unsent.js';
import { reportIn, withUsage } from '../domain/reported-usage.js';
import { isAgentsFault } from '../domain/task-end-code.js';
import { withTrouble } from '../domain/with-trouble.js';
import { OpenStream } from '../capacity/waiting-streams.js';
import type { Fence } from '../store/prepared-append.js';
import {
  NO_CHANGE,
  type AgentTrouble,
  type Authorization,
  type Delegation,
  type SentWith,
  type TaskAggregate,
  type TaskChange,
  type TaskRecord,
} from '../task.js';
import { type PollPace, pollPaceOf } from './poll-pace.js';
import type { RunDeps } from './run-deps.js';
import { AgentCalls } from './agent-calls.js';
import { statusAfter, type DelegationStatus } from './delegation-status.js';
import { CANCELLED } from './cancelled.js';

/**
 * One claimed delegation while it runs: what is known of it, the only way it writes (through the log,
 * under its claim), and when this run is done with it.
 */
export class RunContext {
  readonly record: TaskRecord;
  readonly budgets: AgentBudgets;
  readonly fence: Fence;
  readonly calls: AgentCalls;
  /** What the client sent beside the message this run is about. */
  sentWith: SentWith;
  /** The delegation as of the last commit this run knows. */
  delegation: Delegation;
  /** The agent's task, known from its first event on (before that is committed). */
  downstreamTaskId: string | null;
  private readonly taskIdWaiters: (() => void)[] = [];
  private readonly callWaiters: (() => void)[] = [];
  /** The delegation belongs to another run now, or will. */
  private detached = false;
  /** A call that takes the message to the agent is under way. */
  delivering = false;
  /** The message may have left: before that nothing needs to be asked of the agent. */
  sent: boolean;
  /** The client cancels: no message leaves any more, and only the cancel may end the delegation. */
  canceling = false;
  /** Called when the end that the agent has reported may not be held back any more. */
  flush: () => void = () => undefined;
  /** Metadata of the client's cancel, as far as this run knows it. */
  cancelMetadata: TaskRecord['cancelMetadata'];
  private polling = false;
  /** The stream of the agent that is open now. */
  private openStream: OpenStream | undefined;
  private connectionWaitNoted = false;
  /** The answer that could not be read, until the agent has been asked for its task. */
  cutBy: Why | undefined;
  /** The last call that failed, as the agent or the network put it. */
  trouble: AgentTrouble | undefined;
  /** This run itself has committed the change after which it is {@link done}. */
  finishedHere = false;

  constructor(
    readonly deps: RunDeps,
    private readonly agentAtStart: Agent,
    aggregate: TaskAggregate,
    delegation: Delegation,
    adopted: boolean,
    private readonly onChange: () => void = () => undefined,
  ) {
    this.sent = adopted;
    this.record = aggregate.record;
    this.cancelMetadata = aggregate.record.cancelMetadata;
    this.sentWith = aggregate.record;
    this.budgets = budgetsOf(agentAtStart, deps.settings.budgets);
    this.calls = new AgentCalls(deps, agentAtStart, this.budgets, (signal) =>
      this.callOptions(signal),
    );
    this.fence = { delegationId: delegation.id, epoch: delegation.epoch };
    this.delegation = delegation;
    this.downstreamTaskId = delegation.downstreamTaskId;
  }

  /** As the registry has it now: it may be called with other credentials than when the run began. */
  get agent(): Agent {
    const { deps, agentAtStart } = this;
    // Another one may have its id by now.
    return deps.registry.registeredAt(agentAtStart.id, agentAtStart.createdAt) ?? agentAtStart;
  }

  /** Aborts every call of this run to the agent. */
  get signal(): AbortSignal {
    return this.calls.signal;
  }

  get agentName(): string {
    return this.delegation.agentName;
  }

  /**
   * Nothing is left for this run: the delegation has ended, waits for the client, is queued again, or
   * belongs to another run.
   */
  get done(): boolean {
    const { state } = this.delegation;
    if (state === 'queued') return this.detached || !awaitsBreaker(this.delegation);
    if (awaitsAuthorization(this.delegation)) return true;
    return this.detached || isEnded(state) || state === 'input-required';
  }

  /** The agent waits for input of its client: nothing is to be done, but the agent may continue. */
  get awaitsInput(): boolean {
    return !this.detached && this.delegation.state === 'input-required';
  }

  /** The agent has not shown that it has the message. */
  get unanswered(): boolean {
    return this.delegation.state === 'sending';
  }

  /** The delegation was ended, but not by this run: its agent has not been notified yet. */
  get endedElsewhere(): boolean {
    return !this.detached && !this.finishedHere && isEnded(this.delegation.state);
  }

  /** The message is in flight: the agent may or may not have it. */
  get inFlight(): boolean {
    return this.delivering && this.unanswered;
  }

  get pollPace(): PollPace {
    return pollPaceOf(this.deps.settings, this.agent, this.budgets);
  }

  /** The agent is only polled: between two polls there is no connection. */
  get polls(): boolean {
    return this.polling;
  }

  set polls(polls: boolean) {
    if (this.polling === polls) return;
    this.polling = polls;
    this.onChange();
  }

  /**
   * A stream of the agent is open until what is returned is called. `end` is called before when the delegation waits
   * for its client and others need the room.
   */
  streamOpened(end: () => void): () => void {
    const stream = new OpenStream(this.deps.waitingStreams, this.delegation.agentId, end);
    this.openStream = stream;
    stream.adapt(isWaiting(this.delegation.state));
    return () => stream.close();
  }

  /** The call that takes the message to the agent, and brings what it answers. */
  async deliver<T>(call: () => Promise<T>): Promise<T> {
    this.sent = true;
    this.delivering = true;
    this.connectionWaitNoted = false;
    try {
      return await call();
    } finally {
      this.delivering = false;
      for (const wake of this.callWaiters.splice(0)) wake();
    }
  }

  /** Ends every call to the agent. */
  close(): void {
    this.calls.close();
    for (const wake of [...this.taskIdWaiters.splice(0), ...this.callWaiters.splice(0)]) wake();
  }

  /** Stops and writes nothing more: the delegation belongs to another run now, or will. */
  detach(): void {
    this.detached = true;
    this.close();
  }

  /** Commits what `decide` makes of the delegation with this id; its status after that. */
  async change(
    decide: (aggregate: TaskAggregate, delegationId: string, now: Date) => TaskChange,
  ): Promise<DelegationStatus | undefined> {
    const { delegationId } = this.fence;
    const status = await this.deps.log.update(
      this.record.id,
      (aggregate) => {
        const change = decide(aggregate, delegationId, this.deps.clock.now());
        return { change, result: statusAfter(aggregate, change, delegationId) };
      },
      this.fence,
    );
    if (!status) return undefined;
    this.setDelegation(status.delegation);
    this.finishedHere = this.done && (this.finishedHere || status.changed);
    return status;
  }

  /** Commits what these events of the agent mean; true when they changed anything. */
  async take(events: readonly StreamResponse[]): Promise<boolean> {
    for (const [index, event] of events.entries()) {
      this.learn(event, index > 0 || !this.unanswered);
    }
    const { ids } = this.deps;
    const before = this.delegation;
    // Decided one by one; the log makes them one commit, or several where they are large.
    const isFirst = this.delegation.progress.artifacts.length === 0;
    const steps = isFirst && events.length === 1 ? inSteps(events[0]!) : events;
    try {
      const statuses = await Promise.all(
        steps.map((event) =>
          this.change((aggregate, id, now) =>
            this.priced(event, aggregate, decideAgentEvent(aggregate, id, event, now, ids)),
          ),
        ),
      );
      this.reportResult(before);
      return statuses.some((status) => status?.changed);
    } finally {
      this.calls.releaseAnswers();
    }
  }

  /** The change, with what the agent reports of what has a price with it. */
  private priced(event: StreamResponse, aggregate: TaskAggregate, change: TaskChange): TaskChange {
    const { prices, deviations } = this.deps;
    if (prices.list.isEmpty) return change;
    const { usage, isInvalid } = reportIn(event, prices.list.keysOf(this.delegation));
    if (isInvalid) deviations.note(this.agent, 'invalid-usage');
    return withUsage(change, aggregate, this.fence.delegationId, usage);
  }

  takeTask(task: Task): Promise<boolean> {
    return this.take([{ payload: { $case: 'task', value: task } }]);
  }

  /** Ends the delegation by decision of the hub, unless it has ended already; its agent needs no cancel then. */
  async end(end: Pick<End, 'state' | 'reason' | 'code'>, agentNotified = true): Promise<void> {
    await this.change((aggregate, id, now) =>
      withTrouble(
        decideOutcome(aggregate, id, { ...end, agentNotified, unsent: !this.sent }, now),
        aggregate,
        id,
        this.trouble,
      ),
    );
  }

  /** Fails the delegation; an agent that may still work on it gets a cancel when this run is done. */
  async fail(why: Why): Promise<void> {
    if (this.done) return;
    const before = this.delegation;
    await this.end({ state: 'failed', ...why }, !this.sent);
    this.reportResult(before);
  }

  /** Fails the delegation while it waits for input of its client; one that was answered meanwhile goes on. */
  async failAwaiting(why: Why): Promise<void> {
    const before = this.delegation;
    await this.change((aggregate, id, now) => {
      const { state } = aggregate.delegations.find((each) => each.id === id) ?? {};
      if (state !== 'input-required') return NO_CHANGE;
      const end = { state: 'failed', ...why, agentNotified: false } as const;
      return withTrouble(decideOutcome(aggregate, id, end, now), aggregate, id, this.trouble);
    });
    this.reportResult(before);
  }

  /** The agent did not accept the message: it goes to the next one, or the delegation fails. */
  async failover(why: Why): Promise<void> {
    const { registry } = this.deps;
    await this.change((aggregate, id, now) =>
      withTrouble(
        decideFailover(aggregate, id, why, now, namesBy(registry), this.sent),
        aggregate,
        id,
        this.trouble,
      ),
    );
  }

  /** The message has not left: it does once the client has authorized it. */
  async awaitAuthorization(awaits: Authorization, reason: string): Promise<void> {
    await this.change((aggregate, id, now) =>
      withTrouble(
        decideAwaitAuthorization(aggregate, id, awaits, reason, now),
        aggregate,
        id,
        this.trouble,
      ),
    );
  }

  /**
   * The delegation as it is now, changed by this process or another: in memory, or (`everywhere`) in the database,
   * where also other processes write.
   */
  async refresh(everywhere: boolean): Promise<DelegationStatus | undefined> {
    const { log } = this.deps;
    const taskId = this.record.id;
    const statusIn = (
      aggregate: Pick<TaskAggregate, 'record' | 'delegations'>,
    ): DelegationStatus | undefined => statusAfter(aggregate, NO_CHANGE, this.fence.delegationId);
    const read = everywhere ? await log.withoutContents(taskId, EVERYTHING) : undefined;
    const status = read
      ? statusIn(read)
      : await log.update(taskId, (aggregate) => ({
          change: NO_CHANGE,
          result: statusIn(aggregate),
        }));
    this.cancelMetadata = status?.cancelMetadata ?? null;
    if (!status || status.delegation.epoch !== this.fence.epoch) this.detach();
    else this.setDelegation(status.delegation);
    return status;
  }

  /** The agent's task id as soon as it is known; null when it is not known after `maxMs`. */
  async awaitTaskId(maxMs: number): Promise<string | null> {
    if (this.downstreamTaskId === null && !this.signal.aborted) {
      const known = new AbortController();
      this.taskIdWaiters.push(() => known.abort(CANCELLED));
      await this.deps.clock.sleep(maxMs, known.signal);
    }
    return this.downstreamTaskId;
  }

  /** Resolves when the message has been answered, or has ended without, and after `maxMs` at the latest. */
  async untilAnswered(maxMs: number): Promise<void> {
    if (this.inFlight) await this.untilCallChanges(maxMs);
  }

  /** Resolves when the call that takes the message to the agent is over, and after `maxMs` at the latest. */
  async untilDelivered(maxMs: number): Promise<void> {
    if (this.delivering) await this.untilCallChanges(maxMs);
  }

  /** Says in the task, once, that the message has been waiting for a connection for `ms`. */
  async noteConnectionWait(ms: number): Promise<void> {
    if (this.connectionWaitNoted || this.calls.messageWaitedMs < ms) return;
    this.connectionWaitNoted = true;
    const why = `Waiting for a connection to ${this.agentName}.`;
    await this.change((task, id, now) => decideConnectionNotice(task, id, why, now));
  }

  /** The hubs the message has passed, this one included. */
  get hops(): readonly string[] {
    return hopsOf(this.record, this.deps.instanceId);
  }

  /** What every call to the agent carries. */
  callOptions(signal: AbortSignal = this.signal): AgentCallOptions {
    const { record, delegation, sentWith, deps } = this;
    return agentCallOptions(record, delegation, sentWith, deps, signal);
  }

  private setDelegation(delegation: Delegation): void {
    const wasInFlight = this.inFlight;
    this.delegation = delegation;
    this.openStream?.adapt(isWaiting(delegation.state));
    if (wasInFlight && !this.inFlight) for (const wake of this.callWaiters.splice(0)) wake();
    this.onChange();
  }

  private async untilCallChanges(maxMs: number): Promise<void> {
    if (this.signal.aborted) return;
    const done = new AbortController();
    this.callWaiters.push(() => done.abort(CANCELLED));
    await this.deps.clock.sleep(maxMs, done.signal);
  }

  /** An end that this run has committed counts for the health of the agent. */
  private reportResult(before: Delegation): void {
    const { state, organization, reason, progress } = this.delegation;
    if (!this.finishedHere || isEnded(before.state) || !isEnded(state)) return;
    const { deps, agent } = this;
    if (state === 'completed') deps.health.taskEnded(agent, { organization, ok: true });
    if (state !== 'failed' || !isAgentsFault(progress)) return;
    const error = reason ?? 'the agent said that it failed';
    deps.health.taskEnded(agent, { organization, ok: false, error });
  }

  /** Learns which task the agent works on, and whether it sends messages meanwhile. */
  private learn({ payload }: StreamResponse, isAnswered: boolean): void {
    if (payload?.$case === 'task') this.downstreamTaskId = payload.value.id || null;
    else if (payload?.$case === 'statusUpdate' || payload?.$case === 'artifactUpdate') {
      const { taskId } = payload.value;
      // The first answer may come from another task than the one that the message was for.
      if (this.downstreamTaskId === null || !isAnswered) {
        this.downstreamTaskId = taskId || this.downstreamTaskId;
      }
    } else if (
      isAnswered &&
      payload?.value.taskId &&
      payload.value.taskId === this.downstreamTaskId
    ) {
      this.deps.deviations.note(this.agent, 'message-in-task');
    }
    if (this.downstreamTaskId !== null) for (const wake of this.taskIdWaiters.splice(0)) wake();
  }
}
