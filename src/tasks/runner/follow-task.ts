import { AgentCallError } from '../../agents/index.js';
import { TaskState, type Task } from '../../protocol/a2a.js';
import { delegationStateOf } from '../domain/delegation-state.js';
import type { Why } from '../domain/end-delegation.js';
import { seconds } from '../domain/wording.js';
import type { EndCode } from '../task.js';
import { endCodeOf, noteTrouble } from './agent-trouble.js';
import { isBusyOrAway } from './is-transient.js';
import type { RunContext } from './run-context.js';
import type { Step } from './steps.js';
import { AgentUpdateWaiter } from './agent-update-waiter.js';

/** How many times in a row an agent may answer without a state, or not in line with A2A, before its delegation fails. */
export const MAX_UNUSABLE_ANSWERS = 3;
/** Each pause between two polls is longer than the one before by this factor, and varies by up to a fifth. */
const PAUSE_GROWTH = 1.5;
const PAUSE_JITTER = 0.2;
/** The pause between two polls of an agent that calls back, in longest pauses of others. */
const CALLED_BACK_FACTOR = 4;

/**
 * Follows a task that the agent has, until it has ended or waits for the client: polls it and takes what is
 * new. For agents that cannot stream, streams that broke off and adopted delegations.
 */
export async function followTask(run: RunContext): Promise<Step> {
  const id = run.downstreamTaskId;
  if (id === null) {
    const reason = `${run.agentName} broke off and has not said which task it works on.`;
    await run.fail({ reason, code: 'OUTCOME_UNKNOWN' });
    return 'done';
  }
  const waiter = new AgentUpdateWaiter(run, id);
  try {
    await new Follower(run, id, waiter).follow();
  } finally {
    waiter.close();
  }
  return 'done';
}

/** Why a delegation fails whose agent does not know its task. */
export function lostBy(agentName: string): string {
  return `${agentName} does not know its task any more.`;
}

class Follower {
  private unusable = 0;
  private lastNewsAt: number;
  private pauseMs: number;

  constructor(
    private readonly run: RunContext,
    private readonly downstreamTaskId: string,
    private readonly waiter: AgentUpdateWaiter,
  ) {
    this.pauseMs = run.pollPace.startMs;
    this.lastNewsAt = this.now();
  }

  async follow(): Promise<void> {
    const { run } = this;
    const { minMs, maxMs } = run.pollPace;
    for (let announced = true; ;) {
      const failure = await this.poll(announced);
      if (run.done || run.signal.aborted) return;
      if (failure !== undefined) {
        const reason = [run.cutBy?.reason, failure.reason].filter(Boolean).join(' ');
        return run.fail({ reason, code: failure.code });
      }
      const jitter = 1 + PAUSE_JITTER * (2 * run.deps.ids.jitter() - 1);
      announced = await this.waiter.wait(this.pause * jitter, minMs);
      if (run.done || run.signal.aborted) return;
      this.pauseMs = Math.min(this.pauseMs * PAUSE_GROWTH, maxMs);
    }
  }

  /** An agent that calls back is polled seldom, but still: a call may be lost. */
  private get pause(): number {
    const { deps, agent, budgets, pollPace } = this.run;
    if (!deps.callbacks.isCalledBy(agent)) return this.pauseMs;
    return Math.min(pollPace.maxMs * CALLED_BACK_FACTOR, budgets.idleMs);
  }

  /** Polls once; the reason when the delegation has failed by it. */
  private async poll(announced: boolean): Promise<Why | undefined> {
    const { run } = this;
    let task: Task;
    try {
      task = await run.calls.within(run.budgets.firstEventMs, (options) =>
        run.deps.client.getTask(run.agent, this.downstreamTaskId, options),
      );
    } catch (error) {
      if (!(error instanceof AgentCallError)) throw error;
      const failure = this.trouble(error);
      if (failure !== undefined) noteTrouble(run, error);
      return failure;
    }
    if (delegationStateOf(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED) === undefined) {
      return this.unusableAnswer('its task has no known state', 'INVALID_AGENT_RESPONSE');
    }
    this.unusable = 0;
    run.cutBy = undefined;
    if (await run.takeTask(task)) {
      this.news();
      if (!announced) run.deps.callbacks.missedBy(run.agent);
    }
    return this.idleTooLong();
  }

  private trouble(error: AgentCallError): Why | undefined {
    const { agentName } = this.run;
    const code = endCodeOf(error, true);
    switch (error.kind) {
      case 'not-found':
        return { reason: lostBy(agentName), code };
      case 'invalid':
        return this.unusableAnswer(`InvalidAgentResponse: it ${error.publicMessage}`, code);
      case 'rejected':
        if (isBusyOrAway(error)) return this.idleTooLong(`it ${error.publicMessage}`, code);
        return this.unusableAnswer(`it ${error.publicMessage}`, code);
      case 'interrupted':
        return this.idleTooLong(`it ${error.publicMessage}`);
      case 'unreachable':
        return this.idleTooLong(`it ${error.publicMessage}`, code);
    }
  }

  private unusableAnswer(what: string, code: EndCode): Why | undefined {
    this.unusable += 1;
    if (this.unusable < MAX_UNUSABLE_ANSWERS) return undefined;
    return { reason: `${this.run.agentName} was asked ${this.unusable} times: ${what}.`, code };
  }

  /** Authorization may take as long as the delegation has. */
  private idleTooLong(trouble?: string, code: EndCode = 'AGENT_TIMEOUT'): Why | undefined {
    const { agentName, budgets, delegation } = this.run;
    if (delegation.state === 'auth-required') return undefined;
    if (this.now() - this.lastNewsAt < budgets.idleMs) return undefined;
    const why = trouble === undefined ? '' : `: ${trouble}`;
    return {
      reason: `${agentName} said nothing more for ${seconds(budgets.idleMs)}${why}.`,
      code,
    };
  }

  private news(): void {
    this.lastNewsAt = this.now();
    this.pauseMs = this.run.pollPace.startMs;
  }

  private now(): number {
    return this.run.deps.clock.monotonicMs();
  }
}
