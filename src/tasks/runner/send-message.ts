import {
  AGENT_TOO_LATE,
  AgentCallError,
  type AgentCallOptions,
  type AgentSend,
  canStream,
} from '../../agents/index.js';
import { Watchdog } from '../../common/watchdog.js';
import type { Message, StreamResponse } from '../../protocol/a2a.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import { endCodeOf, publicReason } from './agent-trouble.js';
import { isInDoubt } from '../domain/decide-resend.js';
import { isWaiting } from '../domain/delegation-state.js';
import type { Why } from '../domain/end-delegation.js';
import { seconds } from '../domain/wording.js';
import { EventBuffer } from './event-buffer.js';
import { AgentStreamReader } from './agent-stream-reader.js';
import { sendWithCallback } from './send-with-callback.js';
import { isBusy } from './is-transient.js';
import { outgoing } from './outgoing-message.js';
import { takeEndOfTask } from './resolve-unknown.js';
import type { RunContext } from './run-context.js';
import type { Step } from './steps.js';
import { CANCELLED } from './cancelled.js';

/** JSON-RPC codes of an agent that cannot stream, whatever its card says. */
const CANNOT_STREAM: ReadonlySet<number | undefined> = new Set([
  ERROR_CODES.UNSUPPORTED_OPERATION,
  ERROR_CODES.METHOD_NOT_FOUND,
]);
/** An agent that continues a task may be unreachable or busy for a moment: pauses before its next message is tried again. */
const RETRY_PAUSES_MS = [500, 1000, 2000] as const;
/** How long an agent may take to close its stream after its last event, so that its connection can be reused. */
const LINGER_MS = 1000;

/** Hands the message to the agent and takes what it answers, by stream when the agent offers it. */
export async function sendMessage(run: RunContext, message: Message): Promise<Step> {
  const send = await outgoing(run, message);
  if (run.done) return 'done';
  if (run.canceling) return 'follow';
  const streaming = canStream(run.agent);
  for (let tries = 0; ; tries++) {
    const end = await run.deliver(() => (streaming ? stream(run, send) : sendOnce(run, send)));
    if (run.done) return 'done';
    const { error } = end;
    if (streaming && run.unanswered && isRefusal(error) && CANNOT_STREAM.has(error.detail.code)) {
      const once = await run.deliver(() => sendOnce(run, send));
      // One that refuses it then as well has refused the message, as it does when its task has just ended.
      if (once.error === undefined) run.deps.deviations.note(run.agent, 'cannot-stream');
      return afterEnd(run, once);
    }
    const pause = RETRY_PAUSES_MS[tries];
    const retry = isWorthRetry(error) && run.delegation.downstreamTaskId !== null;
    if (!retry || pause === undefined) return afterEnd(run, end);
    await run.calls.sleep(pause);
    if (run.done) return 'done';
    if (run.canceling) return 'follow';
  }
}

interface CallEnd {
  /** What the agent client rejected with; undefined when the answer was whole. */
  readonly error: unknown;
  /** The budget that ran out, in words. */
  readonly late?: string;
}

async function stream(run: RunContext, send: AgentSend): Promise<CallEnd> {
  const { deps, agent, budgets } = run;
  const call = new AbortController();
  const stop = (): void => call.abort(CANCELLED);
  run.signal.addEventListener('abort', stop);
  const closed = run.streamOpened(stop);
  let late: string | undefined;
  let budget = budgets.firstEventMs;
  let ended = false;
  const watchdog = new Watchdog(deps.clock, () => {
    late = `${run.agentName} ${run.unanswered ? 'gave no answer' : 'said nothing more'} for ${seconds(budget)}.`;
    call.abort(AGENT_TOO_LATE);
  });
  watchdog.arm(budget);
  const connection = run.calls.connectionWait(watchdog, budget, true);
  const options = { connection, ...run.callOptions(call.signal) };
  const buffer = new EventBuffer(deps.client.stream(agent, send, options), deps.chunkTurns);
  const reader = new AgentStreamReader(run, buffer);
  try {
    for (;;) {
      const { events, end, conflict } = await reader.next();
      ended = end !== undefined;
      if (events.length > 0) {
        await run.take(events);
        budget = budgets.idleMs;
        if (isWaiting(run.delegation.state)) watchdog.disarm();
        else watchdog.arm(budget);
      }
      if (reader.isDeferring) watchdog.disarm();
      if (conflict !== undefined) await run.fail(invalidAnswer(conflict));
      // An agent may continue without its client's answer, as long as it keeps the stream open.
      if (run.awaitsInput && !end) continue;
      if (run.done && !end && !reader.isOverdue) await linger(run, buffer);
      if (run.done) return { error: undefined };
      if (end) return { error: end.error, ...(late !== undefined && { late }) };
    }
  } finally {
    watchdog.disarm();
    connection.done();
    closed();
    if (!ended) stop();
    reader.close();
    buffer.close();
    run.signal.removeEventListener('abort', stop);
  }
}

/** The agent closes its stream by itself, as a rule at once; aborting it would close the connection. */
async function linger({ deps, signal }: RunContext, buffer: EventBuffer): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = deps.clock.after(LINGER_MS, done);
    signal.addEventListener('abort', done);
    void buffer.untilEnd().then(done);
  });
}

/** Without a stream: the agent answers with a message or its task. */
async function sendOnce(run: RunContext, send: AgentSend): Promise<CallEnd> {
  const { budgets, agent } = run;
  // A blocking call has as long as may pass between two events.
  const ms = Math.max(budgets.firstEventMs, agent.switches.blocking === 'on' ? budgets.idleMs : 0);
  // An object, since what a callback assigns is not seen by the type checker.
  const time = { isOver: false };
  try {
    const offer = async (options: AgentCallOptions): ReturnType<typeof sendWithCallback> => {
      try {
        return await sendWithCallback(run, send, options);
      } finally {
        time.isOver = options.signal.aborted && !run.signal.aborted;
      }
    };
    const answer = await run.calls.within(ms, offer, true);
    await run.take([eventOf(answer)]);
    return { error: undefined };
  } catch (error) {
    if (!(error instanceof AgentCallError)) throw error;
    return {
      error,
      ...(time.isOver && {
        late: `${run.agentName} gave no answer for ${seconds(ms)}.`,
      }),
    };
  }
}

function eventOf(
  answer: Awaited<ReturnType<RunContext['deps']['client']['send']>>,
): StreamResponse {
  return 'message' in answer
    ? { payload: { $case: 'message', value: answer.message } }
    : { payload: { $case: 'task', value: answer.task } };
}

/** The next step after an answer that has not ended the delegation. */
async function afterEnd(run: RunContext, { error, late }: CallEnd): Promise<Step> {
  if (run.done || run.signal.aborted) return 'done';
  // The agent has a task: the cancel decides its end.
  if (run.canceling && run.downstreamTaskId !== null) return 'follow';
  if (late !== undefined) return failed(run, { reason: late, code: 'AGENT_TIMEOUT' });
  if (error !== undefined && !(error instanceof AgentCallError)) {
    throw new Error('the agent client failed', { cause: error });
  }
  if (error === undefined) return run.unanswered ? 'unknown' : 'follow';
  const why = {
    reason: `${publicReason(run, error)}.`,
    code: endCodeOf(error, run.downstreamTaskId !== null),
  };
  if (error.kind === 'invalid') {
    return unreadable(run, { reason: `InvalidAgentResponse: ${why.reason}`, code: why.code });
  }
  if (!run.unanswered) return 'follow';
  if (error.kind === 'interrupted') return 'unknown';
  // An agent that got the message before may have ended its task with it, and refuses it now.
  const { delegation } = run;
  if (error.kind === 'rejected' && delegation.downstreamTaskId !== null) {
    if (isInDoubt(delegation)) return 'unknown';
    await takeEndOfTask(run, why);
    if (run.done || run.signal.aborted) return 'done';
    if (run.canceling) return 'follow';
  }
  if (isInDoubt(delegation)) await run.failover(why);
  else if (mayWait(run, error)) {
    const reason = `${why.reason} The task goes on with a message that comes with one.`;
    await run.awaitAuthorization('caller-token', reason);
  } else if (error.detail.lacks === 'consent') await awaitConsent(run, why);
  else await run.failover(why);
  return 'done';
}

/** The message has not left: it does once the task's owner has consented, by the link in the task's status. */
async function awaitConsent(run: RunContext, why: Why): Promise<void> {
  const { consents } = run.deps;
  const request = await consents.request(run.record, run.delegation);
  if (typeof request === 'string') {
    return run.failover({ reason: `${why.reason.slice(0, -1)}, but ${request}.`, code: why.code });
  }
  await run.awaitAuthorization(request, why.reason);
  // It may have been given for another task while this one was not waiting yet.
  await consents.resumeGiven(run.record, run.delegation);
}

/** The message has not left, and its sender, who signs in with access tokens, can bring what it needs. */
function mayWait({ record, delegation }: RunContext, error: unknown): boolean {
  return (
    error instanceof AgentCallError &&
    error.detail.lacks === 'caller-token' &&
    record.keepsToken &&
    !isInDoubt(delegation)
  );
}

/** An unreadable answer says nothing of the task: where its id is known, the task is fetched. */
async function unreadable(run: RunContext, why: Why): Promise<Step> {
  if (run.downstreamTaskId === null) return failed(run, why);
  run.deps.deviations.note(run.agent, 'unreadable-event');
  run.cutBy = why;
  return run.unanswered ? 'unknown' : 'follow';
}

async function failed(run: RunContext, why: Why): Promise<Step> {
  await run.fail(why);
  return 'done';
}

function invalidAnswer(what: string): Why {
  return { reason: `InvalidAgentResponse: ${what}`, code: 'INVALID_AGENT_RESPONSE' };
}

function isRefusal(error: unknown): error is AgentCallError {
  return error instanceof AgentCallError && error.kind === 'rejected';
}

function isWorthRetry(error: unknown): boolean {
  if (!(error instanceof AgentCallError)) return false;
  return (error.kind === 'unreachable' && error.detail.lacks === undefined) || isBusy(error);
}
