import { HubError } from '../../common/hub-error.js';
import type { Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { Message } from '../../protocol/a2a.js';
import { agentOf } from '../domain/agent-of.js';
import { namesBy } from '../domain/agent-name.js';
import { CANCELLED } from './cancelled.js';
import { decideFailover, decideOutcome } from '../domain/delegation-decisions.js';
import { isEnded, isWaiting } from '../domain/delegation-state.js';
import type { Why } from '../domain/end-delegation.js';
import { FencedError } from '../log/task-log.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import type { Delegation } from '../task.js';
import { whenAdmitted } from './when-admitted.js';
import { cancelAtAgent } from './cancel-at-agent.js';
import { followTask } from './follow-task.js';
import { type RefusedWork, refusalOfNewWork } from './new-work.js';
import { messageOf, messageToSend } from './outgoing-message.js';
import { requeue } from './requeue.js';
import { brokeOff, resolveUnknown, stoppedWhileSending } from './resolve-unknown.js';
import { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import { cancelDownstream } from './cancel-downstream.js';
import { sendMessage } from './send-message.js';
import type { Step } from './steps.js';
import { cancelAbandoned } from './cancel-abandoned.js';
import { watchAwaitingInput } from './watch-awaiting-input.js';

/** Pauses between attempts to requeue a delegation while the database is in trouble. */
const REQUEUE_PAUSES_MS = [500, 1000, 2000, 4000] as const;

const DELETED: RefusedWork = { what: 'has been deleted from the registry', code: 'AGENT_DELETED' };

/**
 * Runs one claimed delegation until it has ended, waits for its client, or is claimed by another process.
 * All it writes carries the claim's epoch; once that is outdated it stops and writes nothing more.
 */
export class DelegationRun {
  private context: RunContext | undefined;
  /** The message to send, until it is: not kept in memory for as long as the agent takes. */
  private unsent: Message | undefined;
  private stopped = false;
  /** Ends the pauses between attempts to requeue it. */
  private pauses: AbortController | undefined;
  /** The agent is asked to cancel the task of the delegation, which has ended. */
  private cancels = false;
  /** The cancel with the agent, or the wait for the id of the task to cancel. */
  private pendingCancel: Promise<void> | undefined;
  /** The cancel of tasks that the agent has abandoned for another one. */
  private abandonedCancel: Promise<void> | undefined;
  private refreshing = false;
  private refreshAgain: { readonly everywhere: boolean } | undefined;

  constructor(
    private readonly deps: RunDeps,
    readonly claim: ClaimedDelegation,
    /** Called whenever the status of the delegation may have changed. */
    private readonly onChange: () => void = () => undefined,
  ) {}

  /** It waits for its client, and needs no permit meanwhile. */
  get waits(): boolean {
    return isWaiting(this.state);
  }

  get hasEnded(): boolean {
    return isEnded(this.state);
  }

  /** Its agent is only polled: it holds no connection. */
  get polls(): boolean {
    return this.context?.polls === true;
  }

  /** It waits for input of its client, and is only watched. */
  get awaitsInput(): boolean {
    return this.context?.awaitsInput === true;
  }

  /** True until the agent has answered: stopping now leaves its outcome, or that of a cancel, unknown. */
  get unanswered(): boolean {
    return this.cancels || (this.context?.sent === true && this.context.unanswered);
  }

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      await this.work();
      await this.pendingCancel;
      if (!this.stopped) await this.abandonedCancel;
      if (this.stopped && !this.context?.sent) await requeue(this.deps, this.claim);
      else if (!this.stopped) await this.cancelDownstream();
    } catch (error) {
      await this.fail(error);
    }
  }

  /**
   * Something about the delegation may have changed, in this process or (`everywhere`) in another:
   * reads it again, and acts on it.
   */
  refresh(everywhere = false): void {
    const run = this.context;
    if (!run || this.stopped) return;
    if (this.refreshing) {
      this.refreshAgain = { everywhere: everywhere || this.refreshAgain?.everywhere === true };
      return;
    }
    this.refreshing = true;
    void this.readAgain(run, everywhere)
      .catch((error: unknown) => this.logError(error))
      .finally(() => {
        this.refreshing = false;
        const again = this.refreshAgain;
        this.refreshAgain = undefined;
        if (again) this.refresh(again.everywhere);
      });
  }

  /** Says in the task what its message waits for when that has been so for `ms`. Never rejects. */
  async noteConnectionWait(ms: number): Promise<void> {
    await this.context?.noteConnectionWait(ms).catch((error: unknown) => void this.logError(error));
  }

  /** Stops at once and writes nothing: the next process to claim the delegation continues. */
  stop(): void {
    this.stopped = true;
    this.pauses?.abort(CANCELLED);
    this.context?.detach();
  }

  private get state(): Delegation['state'] {
    return (this.context?.delegation ?? this.claim).state;
  }

  private async work(): Promise<void> {
    const run = await this.begin();
    if (!run) return;
    this.context = run;
    this.changed();
    if (this.stopped) return run.detach();
    try {
      await this.noteAgent(run);
      await this.steps(run);
      if (run.endedElsewhere) this.pendingCancel ??= this.closeWhenTaskKnown(run);
    } finally {
      run.close();
    }
  }

  /** Undefined when there is nothing to do, or no agent to do it. */
  private async begin(): Promise<RunContext | undefined> {
    const { id, taskId, epoch, adopted } = this.claim;
    const aggregate = await this.deps.log.read(taskId, EVERYTHING);
    const delegation = aggregate?.delegations.find((each) => each.id === id);
    if (!aggregate || !delegation || delegation.epoch !== epoch || isEnded(delegation.state))
      return undefined;
    const fresh = !adopted && delegation.downstreamTaskId === null;
    const agent = await this.agent(delegation, fresh);
    const { message, sentWith } = await messageToSend(this.deps.log, aggregate, delegation);
    const deleted = !agent || (!adopted && agent.deletedAt !== null);
    const refusal =
      deleted || !fresh
        ? undefined
        : refusalOfNewWork(this.deps.registry, agent, aggregate.record, sentWith);
    if (deleted || refusal !== undefined) {
      const { what, code } = refusal ?? DELETED;
      const reason = `The agent ${delegation.agentName} (${delegation.agentId}) ${what}.`;
      await this.withoutAgent({ reason, code });
      // The agent may still wait for this message.
      await this.sendCancel(null);
      return undefined;
    }
    if (!adopted) this.unsent = message;
    const changed = (): void => this.changed();
    const run = new RunContext(this.deps, agent, aggregate, delegation, adopted, changed);
    run.sentWith = sentWith;
    return run;
  }

  /** A first message is for whoever has the id now: one that it was not chosen for is noted before it gets the message. */
  private async noteAgent(run: RunContext): Promise<void> {
    const { createdAt: agentSince } = run.agent;
    const { agentSince: chosen, downstreamTaskId } = run.delegation;
    if (this.claim.adopted || downstreamTaskId !== null) return;
    if (chosen?.getTime() === agentSince.getTime()) return;
    // What the one before called the context of the task is not for it.
    await run.change((_, id) => ({
      events: [],
      delegations: [{ id, agentSince, downstreamContextId: null }],
    }));
  }

  private changed(): void {
    this.onChange();
    const run = this.context;
    if (!run?.delegation.progress.abandoned || isEnded(run.delegation.state)) return;
    this.abandonedCancel ??= cancelAbandoned(run).catch(
      (error: unknown) => void this.logError(error),
    );
  }

  /** New work is for whoever has the id now. */
  private async agent(delegation: Delegation, isFresh: boolean): Promise<Agent | undefined> {
    const { registry } = this.deps;
    const find = (): Agent | undefined =>
      isFresh ? registry.known(delegation.agentId) : agentOf(registry, delegation);
    const known = find();
    if (known?.deletedAt === null) return known;
    // One that is not known here may be new in another process.
    await registry.renew();
    return find();
  }

  private async steps(run: RunContext): Promise<void> {
    if (run.record.cancelRequestedAt !== null) this.pendingCancel ??= this.cancel(run);
    let step = this.firstStep(run);
    for (let isFirst = true; !run.signal.aborted; isFirst = false) {
      if (run.awaitsInput) {
        await watchAwaitingInput(run, isFirst);
        step = 'follow';
      }
      if (step === 'done' || run.done || run.signal.aborted) return;
      // Nothing more is sent to an agent that is being canceled: the cancel ends the delegation.
      if (this.pendingCancel) return this.pendingCancel;
      step = await this.next(run, step, isFirst);
    }
  }

  private firstStep({ delegation }: RunContext): Step {
    if (!this.claim.adopted) return 'send';
    return delegation.state === 'sending' ? 'unknown' : 'follow';
  }

  private async next(run: RunContext, step: Step, isFirst: boolean): Promise<Step> {
    switch (step) {
      case 'send':
        return whenAdmitted(run, async () => sendMessage(run, await this.message(run)));
      case 'follow':
        return followTask(run);
      case 'unknown':
        return resolveUnknown(
          run,
          isFirst ? stoppedWhileSending(run) : (run.cutBy ?? brokeOff(run)),
          isFirst,
        );
      case 'done':
        return 'done';
    }
  }

  private async message(run: RunContext): Promise<Message> {
    const message = this.unsent ?? (await messageOf(run));
    this.unsent = undefined;
    return message;
  }

  private async readAgain(run: RunContext, everywhere: boolean): Promise<void> {
    const { awaitsInput } = run;
    const status = await run.refresh(everywhere);
    if (awaitsInput) {
      // Where it was answered or ended it is also continued, or canceled with its agent.
      if (run.done && !run.awaitsInput) run.close();
      return;
    }
    if (run.finishedHere || !status) return;
    if (!run.done) {
      if (status.cancelRequested) this.pendingCancel ??= this.cancel(run);
      return;
    }
    if (run.endedElsewhere) this.pendingCancel ??= this.closeWhenTaskKnown(run);
    else run.close();
  }

  private async cancel(run: RunContext): Promise<void> {
    try {
      await cancelAtAgent(run);
    } catch (error) {
      this.logError(error);
      run.close();
    }
  }

  /**
   * The delegation was ended elsewhere. Its agent may not have said yet which task it works on: it has as
   * long for that as for its first event, since without the id the task could not be canceled.
   */
  private async closeWhenTaskKnown(run: RunContext): Promise<void> {
    if (run.sent) await run.awaitTaskId(run.budgets.firstEventMs);
    run.close();
  }

  /** Cancels the task of the agent if the delegation has ended without the agent. */
  private async cancelDownstream(): Promise<void> {
    const { delegation, downstreamTaskId } = this.context ?? {
      delegation: this.claim,
      downstreamTaskId: null,
    };
    if (delegation.cancelPending) await this.sendCancel(downstreamTaskId);
  }

  private async sendCancel(downstreamTaskId: string | null): Promise<void> {
    this.cancels = true;
    await cancelDownstream(this.deps, this.claim, downstreamTaskId).finally(
      () => (this.cancels = false),
    );
  }

  /** There is no agent to send to: the next one of the route gets the message, or the delegation ends. */
  private async withoutAgent(why: Why): Promise<void> {
    const { id, taskId, epoch, adopted } = this.claim;
    const { log, clock, registry } = this.deps;
    await log.update(
      taskId,
      (aggregate) => ({
        change: adopted
          ? decideOutcome(aggregate, id, { state: 'failed', ...why }, clock.now())
          : decideFailover(aggregate, id, why, clock.now(), namesBy(registry), false),
        result: undefined,
      }),
      { delegationId: id, epoch },
    );
  }

  /** A fault of the hub itself: the delegation ends with it rather than being tried for ever. */
  private async fail(error: unknown): Promise<void> {
    if (this.logError(error)) return this.requeueUnsent(error);
    const { id, taskId, epoch } = this.claim;
    const end = {
      state: 'failed',
      reason: 'The hub failed while it ran this delegation; its log says why.',
      code: 'INTERNAL',
    } as const;
    try {
      await this.deps.log.update(
        taskId,
        (aggregate) => ({
          change: decideOutcome(aggregate, id, end, this.deps.clock.now()),
          result: undefined,
        }),
        { delegationId: id, epoch },
      );
    } catch (second) {
      this.logError(second);
    }
  }

  /**
   * The database is in trouble, and no message has left: the delegation is requeued as soon as that can be
   * written. If it cannot be, its outcome counts as unknown, and it is adopted after its lease.
   */
  private async requeueUnsent(error: unknown): Promise<void> {
    if (isLost(error) || this.context?.sent === true) return;
    this.pauses = new AbortController();
    if (this.stopped) this.pauses.abort(CANCELLED);
    for (const pause of REQUEUE_PAUSES_MS) {
      await this.deps.clock.sleep(pause, this.pauses.signal);
      if (await requeue(this.deps, this.claim)) return;
    }
  }

  /** Logs an error; true when nothing is to be done about it: the next claim continues. */
  private logError(error: unknown): boolean {
    const { id: delegationId, taskId } = this.claim;
    if (isLost(error)) {
      this.context?.detach();
      if (!(error instanceof FencedError)) {
        this.deps.logger.debug({ taskId, delegationId }, 'the task of a delegation is gone');
      }
      return true;
    }
    this.deps.logger.error({ err: error, taskId, delegationId }, 'running a delegation failed');
    // Nothing can be written: the lease runs out and the delegation is adopted.
    return error instanceof HubError && error.reason === 'UNAVAILABLE';
  }
}

/** The delegation is another's, or was deleted with its task: nothing is to be written any more. */
function isLost(error: unknown): boolean {
  const isGone = error instanceof HubError && error.reason === 'TASK_NOT_FOUND';
  return isGone || error instanceof FencedError;
}
