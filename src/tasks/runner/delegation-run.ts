import { HubError } from '../../common/hub-error.js';
import type { Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { Message } from '../../protocol/a2a.js';
import { namesBy } from '../domain/agent-name.js';
import { OVER } from './cancelled.js';
import { decideFailover, decideOutcome } from '../domain/delegation-decisions.js';
import { isEnded, isWaiting } from '../domain/delegation-state.js';
import { FencedError } from '../task-log.js';
import type { ClaimedDelegation } from '../task-store.js';
import type { Delegation } from '../task.js';
import { whenAdmitted } from './admission.js';
import { cancelAtAgent } from './cancel-at-agent.js';
import { followTask } from './follow-task.js';
import { refusalOfNewWork } from './new-work.js';
import { messageOf, messageToSend } from './outgoing-message.js';
import { putBack } from './put-back.js';
import { brokeOff, resolveUnknown, stoppedWhileSending } from './resolve-unknown.js';
import { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import { sayFarewell } from './say-farewell.js';
import { sendMessage } from './send-message.js';
import type { Step } from './steps.js';
import { tellLeft } from './tell-left.js';
import { watchAsked } from './watch-asked.js';

/** Pauses before it is tried to give a delegation back that the database had no answer for. */
const PUT_BACK_PAUSES_MS = [500, 1000, 2000, 4000] as const;

/**
 * Runs one claimed delegation until it has ended, waits for its client, or is somebody else's. All it
 * writes carries the claim's epoch; once that is outdated it stops without a word.
 */
export class DelegationRun {
  private context: RunContext | undefined;
  /** The message to send, until it is: not kept in memory for as long as the agent takes. */
  private unsent: Message | undefined;
  private readonly stopping = new AbortController();
  /** The cancel with the agent, or the word that nothing more is needed. */
  private aside: Promise<void> | undefined;
  /** The word that a task which the agent has left is not needed. */
  private leftBehind: Promise<void> | undefined;
  private looking = false;
  private lookAgain: { readonly everywhere: boolean } | undefined;

  constructor(
    private readonly deps: RunDeps,
    readonly claim: ClaimedDelegation,
    /** Told whenever the delegation may stand elsewhere than before. */
    private readonly onChange: () => void = () => undefined,
  ) {}

  /** It waits for its client, and takes no place from those that work. */
  get waits(): boolean {
    return isWaiting(this.state);
  }

  get hasEnded(): boolean {
    return isEnded(this.state);
  }

  /** Its agent is only asked now and then: it holds no connection. */
  get polls(): boolean {
    return this.context?.polls === true;
  }

  /** It waits for its client, and is only watched. */
  get asked(): boolean {
    return this.context?.asked === true;
  }

  /** True until the agent has answered: stopping now leaves its outcome unknown. */
  get unanswered(): boolean {
    return this.context !== undefined && this.context.sent && this.context.unanswered;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      await this.work();
      await this.aside;
      if (!this.stopped) await this.leftBehind;
      if (this.stopped && !this.context?.sent) await putBack(this.deps, this.claim);
      else if (!this.stopped) await this.sayFarewell();
    } catch (error) {
      await this.broke(error);
    }
  }

  /**
   * Something about the delegation may have changed, in this process or (`everywhere`) in another:
   * look, and act on it.
   */
  poke(everywhere = false): void {
    const run = this.context;
    if (!run || this.stopped) return;
    if (this.looking) {
      this.lookAgain = { everywhere: everywhere || this.lookAgain?.everywhere === true };
      return;
    }
    this.looking = true;
    void this.look(run, everywhere)
      .catch((error: unknown) => this.note(error))
      .finally(() => {
        this.looking = false;
        const again = this.lookAgain;
        this.lookAgain = undefined;
        if (again) this.poke(again.everywhere);
      });
  }

  /** Tells in the task what its message waits for when that has been so for `ms`. Never rejects. */
  async tellWait(ms: number): Promise<void> {
    await this.context?.tellWait(ms).catch((error: unknown) => void this.note(error));
  }

  /** Stops at once and writes nothing: whoever claims the delegation next goes on. */
  stop(): void {
    this.stopping.abort(OVER);
    this.context?.handOver();
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private get state(): Delegation['state'] {
    return (this.context?.delegation ?? this.claim).state;
  }

  private async work(): Promise<void> {
    const run = await this.begin();
    if (!run) return;
    this.context = run;
    this.changed();
    if (this.stopped) return run.handOver();
    try {
      await this.steps(run);
      if (run.endedByOthers) this.aside ??= this.leave(run);
    } finally {
      run.close();
    }
  }

  /** Nothing when there is nothing to do, or nobody to do it. */
  private async begin(): Promise<RunContext | undefined> {
    const { id, taskId, epoch, adopted } = this.claim;
    const aggregate = await this.deps.log.read(taskId, EVERYTHING);
    const delegation = aggregate?.delegations.find((each) => each.id === id);
    if (!aggregate || !delegation || delegation.epoch !== epoch || isEnded(delegation.state))
      return undefined;
    const agent = await this.agent(delegation.agentId);
    const { message, sentWith } = await messageToSend(this.deps.log, aggregate, delegation);
    const fresh = !adopted && delegation.downstreamTaskId === null;
    const deleted = !agent || (!adopted && agent.deletedAt !== null);
    const refusal =
      deleted || !fresh
        ? undefined
        : refusalOfNewWork(this.deps.registry, agent, aggregate.record, sentWith);
    if (deleted || refusal !== undefined) {
      const what = refusal ?? 'has been deleted from the registry';
      await this.withoutAgent(`The agent ${delegation.agentName} (${delegation.agentId}) ${what}.`);
      // One that waits for this message need not any more.
      await sayFarewell(this.deps, this.claim, null);
      return undefined;
    }
    if (!adopted) this.unsent = message;
    const changed = (): void => this.changed();
    const run = new RunContext(this.deps, agent, aggregate, delegation, adopted, changed);
    run.sentWith = sentWith;
    return run;
  }

  private changed(): void {
    this.onChange();
    const run = this.context;
    if (!run?.delegation.progress.left || isEnded(run.delegation.state)) return;
    this.leftBehind ??= tellLeft(run).catch((error: unknown) => void this.note(error));
  }

  private async agent(id: string): Promise<Agent | undefined> {
    const { registry } = this.deps;
    const known = registry.known(id);
    if (known?.deletedAt === null) return known;
    // One that is not known here may be new in another process.
    await registry.renew();
    return registry.known(id);
  }

  private async steps(run: RunContext): Promise<void> {
    if (run.record.cancelRequestedAt !== null) this.aside ??= this.cancel(run);
    let step = this.firstStep(run);
    for (let isFirst = true; !run.signal.aborted; isFirst = false) {
      if (run.asked) {
        await watchAsked(run, isFirst);
        step = 'follow';
      }
      if (step === 'done' || run.over || run.signal.aborted) return;
      // An agent that is being canceled is not asked to go on: the cancel ends the delegation.
      if (this.aside) return this.aside;
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

  private async look(run: RunContext, everywhere: boolean): Promise<void> {
    const { asked } = run;
    const standing = await run.look(everywhere);
    if (asked) {
      // Whoever has answered or ended it goes on, or has told the agent.
      if (run.over && !run.asked) run.close();
      return;
    }
    if (run.settled || !standing) return;
    if (!run.over) {
      if (standing.cancelRequested) this.aside ??= this.cancel(run);
      return;
    }
    if (run.endedByOthers) this.aside ??= this.leave(run);
    else run.close();
  }

  private async cancel(run: RunContext): Promise<void> {
    try {
      await cancelAtAgent(run);
    } catch (error) {
      this.note(error);
      run.close();
    }
  }

  /**
   * Somebody else has ended the delegation. Its agent may not have said yet which task it works on: it has
   * as long for that as for its first event, for without it nobody could tell it to stop.
   */
  private async leave(run: RunContext): Promise<void> {
    if (run.sent) await run.knownId(run.budgets.firstEventMs);
    run.close();
  }

  /** Tells the agent if the delegation has ended without its knowing. */
  private async sayFarewell(): Promise<void> {
    const { delegation, downstreamTaskId } = this.context ?? {
      delegation: this.claim,
      downstreamTaskId: null,
    };
    if (delegation.untold) await sayFarewell(this.deps, this.claim, downstreamTaskId);
  }

  /** There is nobody to send to: the next agent of the route, or the end. */
  private async withoutAgent(reason: string): Promise<void> {
    const { id, taskId, epoch, adopted } = this.claim;
    const { log, clock, registry } = this.deps;
    await log.update(
      taskId,
      (aggregate) => ({
        change: adopted
          ? decideOutcome(aggregate, id, { state: 'failed', reason }, clock.now())
          : decideFailover(aggregate, id, reason, clock.now(), namesBy(registry), false),
        result: undefined,
      }),
      { delegationId: id, epoch },
    );
  }

  /** A fault of the hub itself: the delegation ends with it rather than being tried for ever. */
  private async broke(error: unknown): Promise<void> {
    if (this.note(error)) return this.putBackUnsent(error);
    const { id, taskId, epoch } = this.claim;
    const reason = 'The hub failed while it ran this delegation; its log says why.';
    try {
      await this.deps.log.update(
        taskId,
        (aggregate) => ({
          change: decideOutcome(aggregate, id, { state: 'failed', reason }, this.deps.clock.now()),
          result: undefined,
        }),
        { delegationId: id, epoch },
      );
    } catch (second) {
      this.note(second);
    }
  }

  /**
   * The database is in trouble, and no message has left: given back as soon as that can be written, the
   * delegation is queued as if nothing had happened. If not, nobody can know that, and it is adopted.
   */
  private async putBackUnsent(error: unknown): Promise<void> {
    if (error instanceof FencedError || this.context?.sent === true) return;
    for (const pause of PUT_BACK_PAUSES_MS) {
      await this.deps.clock.sleep(pause, this.stopping.signal);
      if (await putBack(this.deps, this.claim)) return;
    }
  }

  /** Logs an error; true when nothing is to be done about it: somebody else goes on. */
  private note(error: unknown): boolean {
    if (error instanceof FencedError) {
      this.context?.handOver();
      return true;
    }
    const { id: delegationId, taskId } = this.claim;
    this.deps.logger.error({ err: error, taskId, delegationId }, 'running a delegation failed');
    // Nothing can be written: the lease runs out and the delegation is adopted.
    return error instanceof HubError && error.reason === 'UNAVAILABLE';
  }
}
