import {
  AGENT_TOO_LATE,
  type Agent,
  type AgentBudgets,
  type AgentCallOptions,
} from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { StreamResponse, Task } from '../../protocol/a2a.js';
import { inSteps } from '../domain/large-answer.js';
import { decideAgentEvent, decideFailover, decideOutcome } from '../domain/delegation-decisions.js';
import type { End } from '../domain/end-delegation.js';
import { namesBy } from '../domain/agent-name.js';
import { agentCallOptions, hopsOf } from './call-options.js';
import { isEnded } from '../domain/delegation-state.js';
import { decideConnectionAwaited, isHeld } from '../domain/unsent.js';
import { withTrouble } from '../domain/with-trouble.js';
import type { Fence } from '../task-store.js';
import {
  NO_CHANGE,
  type AgentTrouble,
  type Delegation,
  type SentWith,
  type TaskAggregate,
  type TaskChange,
  type TaskRecord,
} from '../task.js';
import type { RunDeps } from './run-deps.js';
import { ConnectionWait } from './connection-wait.js';
import { Watchdog } from './watchdog.js';
import { standingAfter, type Standing } from './standing.js';
import { OVER } from './cancelled.js';

/**
 * One claimed delegation while it runs: what is known of it, the only way it writes (through the log,
 * under its claim), and when it is over for this run.
 */
export class RunContext {
  readonly record: TaskRecord;
  readonly budgets: AgentBudgets;
  readonly fence: Fence;
  /** What the client sent beside the message this run is about. */
  sentWith: SentWith;
  /** The delegation as of the last commit this run knows. */
  delegation: Delegation;
  /** The agent's task, known from its first event on (before that is committed). */
  downstreamTaskId: string | null;
  private readonly controller = new AbortController();
  private readonly idWaiters: (() => void)[] = [];
  private handedOver = false;
  private readonly callWaiters: (() => void)[] = [];
  /** Give back what the answers hold that are not stored yet. */
  private readonly answers: (() => void)[] = [];
  /** A call that takes the message to the agent is under way. */
  delivering = false;
  /** The message may have left: before that nothing needs to be asked of the agent. */
  sent: boolean;
  /** The client cancels: no message leaves any more, and only the cancel may end the delegation. */
  canceling = false;
  /** Called when what the agent has said may not be held back any more. */
  hasten: () => void = () => undefined;
  /** Metadata of the client's cancel, as far as this run knows it. */
  cancelMetadata: TaskRecord['cancelMetadata'];
  /** It only asks its agent now and then, with no connection open meanwhile. */
  private polling = false;
  /** The call that takes the message to the agent, as far as it waits for a connection. */
  private messageWait: ConnectionWait | undefined;
  private waitTold = false;
  /** The answer that could not be read, until the agent has been asked for its task. */
  cutBy: string | undefined;
  /** The last call that failed, as the agent or the network put it. */
  trouble: AgentTrouble | undefined;
  /** This run itself has brought the delegation to where it is over. */
  settled = false;

  constructor(
    readonly deps: RunDeps,
    readonly agent: Agent,
    aggregate: TaskAggregate,
    delegation: Delegation,
    adopted: boolean,
    private readonly onChange: () => void = () => undefined,
  ) {
    this.sent = adopted;
    this.record = aggregate.record;
    this.cancelMetadata = aggregate.record.cancelMetadata;
    this.sentWith = aggregate.record;
    this.budgets = { ...deps.settings.budgets, ...agent.budgets };
    this.fence = { delegationId: delegation.id, epoch: delegation.epoch };
    this.delegation = delegation;
    this.downstreamTaskId = delegation.downstreamTaskId;
  }

  /** Aborts every call of this run to the agent. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get agentName(): string {
    return this.delegation.agentName;
  }

  /** Nothing is left for this run: ended, waiting for the client, queued again, or somebody else's. */
  get over(): boolean {
    const { state } = this.delegation;
    if (state === 'queued') return this.handedOver || !isHeld(this.delegation);
    return this.handedOver || isEnded(state) || state === 'input-required';
  }

  /** The agent has asked its client something: nothing is to be done, but the agent may go on. */
  get asked(): boolean {
    return !this.handedOver && this.delegation.state === 'input-required';
  }

  /** The agent has not shown that it has the message. */
  get unanswered(): boolean {
    return this.delegation.state === 'sending';
  }

  /** Somebody else has ended the delegation: its agent does not know yet. */
  get endedByOthers(): boolean {
    return !this.handedOver && !this.settled && isEnded(this.delegation.state);
  }

  /** The message is on its way: the agent may or may not have it. */
  get crossing(): boolean {
    return this.delivering && this.unanswered;
  }

  /**
   * The shortest pause between two looks at the agent's task, whatever calls for one, and the first and the
   * longest one where nothing does. An agent's own interval leaves time for two looks until it counts as idle.
   */
  get pollPace(): { readonly minMs: number; readonly startMs: number; readonly maxMs: number } {
    const { pollMinMs, pollMaxMs } = this.deps.settings;
    const { pollIntervalMs: own } = this.agent.switches;
    if (own === undefined) return { minMs: pollMinMs, startMs: pollMinMs, maxMs: pollMaxMs };
    const minMs = Math.min(own, pollMinMs);
    const everyMs = Math.max(minMs, Math.min(own, this.budgets.idleMs / 2));
    return { minMs, startMs: everyMs, maxMs: everyMs };
  }

  /** Its agent is only asked now and then: between two questions it has no connection. */
  get polls(): boolean {
    return this.polling;
  }

  set polls(polls: boolean) {
    if (this.polling === polls) return;
    this.polling = polls;
    this.onChange();
  }

  /** The call that takes the message to the agent, and brings what it answers. */
  async deliver<T>(call: () => Promise<T>): Promise<T> {
    this.sent = true;
    this.delivering = true;
    this.waitTold = false;
    try {
      return await call();
    } finally {
      this.delivering = false;
      for (const wake of this.callWaiters.splice(0)) wake();
    }
  }

  /** Ends every call to the agent. */
  close(): void {
    this.releaseAnswers();
    this.controller.abort(OVER);
    for (const wake of [...this.idWaiters.splice(0), ...this.callWaiters.splice(0)]) wake();
  }

  /** Stops without a word: the delegation is somebody else's now, or will be. */
  handOver(): void {
    this.handedOver = true;
    this.close();
  }

  /** Commits what is decided now of the delegation with this id; how it stands after that. */
  async change(
    decide: (aggregate: TaskAggregate, delegationId: string, now: Date) => TaskChange,
  ): Promise<Standing | undefined> {
    const { delegationId } = this.fence;
    const standing = await this.deps.log.update(
      this.record.id,
      (aggregate) => {
        const change = decide(aggregate, delegationId, this.deps.clock.now());
        return { change, result: standingAfter(aggregate, change, delegationId) };
      },
      this.fence,
    );
    if (!standing) return undefined;
    this.know(standing.delegation);
    this.settled = this.over && (this.settled || standing.changed);
    return standing;
  }

  /** Commits what these events of the agent mean; true when they changed anything. */
  async take(events: readonly StreamResponse[]): Promise<boolean> {
    for (const [index, event] of events.entries()) {
      this.heed(event, index > 0 || !this.unanswered);
    }
    const { ids } = this.deps;
    const before = this.delegation;
    // Decided one by one; the log makes them one commit, or several where they are large.
    const isFirst = this.delegation.progress.artifacts.length === 0;
    const steps = isFirst && events.length === 1 ? inSteps(events[0]!) : events;
    try {
      const standings = await Promise.all(
        steps.map((event) =>
          this.change((aggregate, id, now) => decideAgentEvent(aggregate, id, event, now, ids)),
        ),
      );
      this.noteResult(before);
      return standings.some((standing) => standing?.changed);
    } finally {
      this.releaseAnswers();
    }
  }

  takeTask(task: Task): Promise<boolean> {
    return this.take([{ payload: { $case: 'task', value: task } }]);
  }

  /** Ends the delegation on the hub's word, of which its agent knows, unless it has ended already. */
  async end(end: Pick<End, 'state' | 'reason'>, agentKnows = true): Promise<void> {
    await this.change((aggregate, id, now) =>
      withTrouble(
        decideOutcome(aggregate, id, { ...end, agentKnows, unsent: !this.sent }, now),
        aggregate,
        id,
        this.trouble,
      ),
    );
  }

  /** Fails the delegation; an agent that may still work on it is told when this run is over. */
  async fail(reason: string): Promise<void> {
    if (this.over) return;
    const before = this.delegation;
    await this.end({ state: 'failed', reason }, !this.sent);
    this.noteResult(before);
  }

  /** The agent did not take the message: the next one is asked, or the delegation fails. */
  async failover(reason: string): Promise<void> {
    const { registry } = this.deps;
    await this.change((aggregate, id, now) =>
      withTrouble(
        decideFailover(aggregate, id, reason, now, namesBy(registry), this.sent),
        aggregate,
        id,
        this.trouble,
      ),
    );
  }

  /**
   * The delegation as it is now, whoever changed it: in memory, or (`everywhere`) in the database,
   * where also other processes write.
   */
  async look(everywhere: boolean): Promise<Standing | undefined> {
    const { log } = this.deps;
    const taskId = this.record.id;
    const standingIn = (aggregate: TaskAggregate): Standing | undefined =>
      standingAfter(aggregate, NO_CHANGE, this.fence.delegationId);
    const read = everywhere ? await log.read(taskId, EVERYTHING) : undefined;
    const standing = read
      ? standingIn(read)
      : await log.update(taskId, (aggregate) => ({
          change: NO_CHANGE,
          result: standingIn(aggregate),
        }));
    this.cancelMetadata = standing?.cancelMetadata ?? null;
    if (!standing || standing.delegation.epoch !== this.fence.epoch) this.handOver();
    else this.know(standing.delegation);
    return standing;
  }

  /** The agent's task id as soon as it is known; null when it is not by then. */
  async knownId(maxMs: number): Promise<string | null> {
    if (this.downstreamTaskId === null && !this.signal.aborted) {
      const known = new AbortController();
      this.idWaiters.push(() => known.abort(OVER));
      await this.deps.clock.sleep(maxMs, known.signal);
    }
    return this.downstreamTaskId;
  }

  /** Resolves when the message has been answered, or has ended without, and after `maxMs` at the latest. */
  async arrived(maxMs: number): Promise<void> {
    if (this.crossing) await this.untilCallMoves(maxMs);
  }

  /** Resolves when the call that takes the message to the agent is over, and after `maxMs` at the latest. */
  async delivered(maxMs: number): Promise<void> {
    if (this.delivering) await this.untilCallMoves(maxMs);
  }

  /** Tells in the task, once, that the message has been waiting for a connection for `ms`. */
  async tellWait(ms: number): Promise<void> {
    if (this.waitTold || (this.messageWait?.waitedMs ?? 0) < ms) return;
    this.waitTold = true;
    const why = `Waiting for a connection to ${this.agentName}.`;
    await this.change((task, id, now) => decideConnectionAwaited(task, id, why, now));
  }

  /**
   * What a call that `watchdog` ends tells of its connection: the agent's `ms` begin when it is on its way.
   * `isMessage`: it takes the message to the agent. `over` is called at its end.
   */
  connectionWait(watchdog: Watchdog, ms: number, isMessage: boolean): ConnectionWait {
    const { clock, load } = this.deps;
    const wait = new ConnectionWait({
      watchdog,
      ms,
      now: () => clock.now().getTime(),
      onChange: (waits) => load.connecting(this.agent.id, waits ? 1 : -1),
    });
    if (isMessage) this.messageWait = wait;
    return wait;
  }

  /** Sleeps, but not beyond the end of this run. */
  sleep(ms: number): Promise<void> {
    return this.deps.clock.sleep(ms, this.signal);
  }

  /**
   * One call to the agent that may take `ms` from when it is on its way; its signal aborts then, and with
   * this run.
   */
  async within<T>(
    ms: number,
    call: (options: AgentCallOptions) => Promise<T>,
    isMessage = false,
  ): Promise<T> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(OVER);
    this.signal.addEventListener('abort', stop);
    if (this.signal.aborted) stop();
    // Less than that may be too short for any agent.
    const hadItsTime = ms >= this.budgets.firstEventMs;
    const late = (): void => limit.abort(hadItsTime ? AGENT_TOO_LATE : OVER);
    const watchdog = new Watchdog(this.deps.clock, late);
    watchdog.arm(ms);
    const connection = this.connectionWait(watchdog, ms, isMessage);
    // What was answered before, and not taken, is not needed any more.
    this.releaseAnswers();
    const hold = (release: () => void): void => void this.answers.push(release);
    try {
      return await call({ ...this.callOptions(limit.signal), connection, hold });
    } finally {
      watchdog.disarm();
      connection.over();
      this.signal.removeEventListener('abort', stop);
    }
  }

  /** The hubs the message has passed, this one included. */
  get hops(): readonly string[] {
    return hopsOf(this.record, this.deps.instanceId);
  }

  /** What every call to the agent carries. */
  callOptions(signal: AbortSignal = this.signal): AgentCallOptions {
    const { record, delegation, sentWith, deps } = this;
    return agentCallOptions(record, delegation, sentWith, deps.instanceId, signal);
  }

  private releaseAnswers(): void {
    for (const release of this.answers.splice(0)) release();
  }

  private know(delegation: Delegation): void {
    const crossed = this.crossing;
    this.delegation = delegation;
    if (crossed && !this.crossing) for (const wake of this.callWaiters.splice(0)) wake();
    this.onChange();
  }

  private async untilCallMoves(maxMs: number): Promise<void> {
    if (this.signal.aborted) return;
    const done = new AbortController();
    this.callWaiters.push(() => done.abort(OVER));
    await this.deps.clock.sleep(maxMs, done.signal);
  }

  /** What the agent itself has brought the delegation to counts for its health. */
  private noteResult(before: Delegation): void {
    const { state, organization, reason } = this.delegation;
    if (!this.settled || isEnded(before.state) || !isEnded(state)) return;
    const { deps, agent } = this;
    if (state === 'completed') deps.health.taskEnded(agent, { organization, ok: true });
    if (state !== 'failed') return;
    const error = reason ?? 'the agent said that it failed';
    deps.health.taskEnded(agent, { organization, ok: false, error });
  }

  /** Learns which task the agent works on, and whether it says messages meanwhile. */
  private heed({ payload }: StreamResponse, isAnswered: boolean): void {
    if (payload?.$case === 'task') this.downstreamTaskId = payload.value.id || null;
    else if (payload?.$case === 'statusUpdate' || payload?.$case === 'artifactUpdate') {
      this.downstreamTaskId ||= payload.value.taskId || null;
    } else if (
      isAnswered &&
      payload?.value.taskId &&
      payload.value.taskId === this.downstreamTaskId
    ) {
      this.deps.quirks.note(this.agent, 'message-in-task');
    }
    if (this.downstreamTaskId !== null) for (const wake of this.idWaiters.splice(0)) wake();
  }
}
