import { AgentCallError, type AgentCallOptions } from '../../agents/index.js';
import { Part, Role, type Message, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { decideStatusQuery } from '../domain/decide-status-query.js';
import { decideResend, resendPauseMs, timesResent } from '../domain/decide-resend.js';
import { sameValue } from '../domain/equality.js';
import { isTransient } from './is-transient.js';
import { messageOf } from './outgoing-message.js';
import type { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import type { Step } from './steps.js';

/** An agent may be starting again as well: pauses before it is asked again. */
const RETRY_PAUSES_MS = [500, 1000, 2000, 4000] as const;
/** How far an agent's clock may be behind the hub's. */
const CLOCK_SKEW_MS = 5000;

/** What the agent says of the message. */
type Finding =
  | { readonly kind: 'has-it'; readonly task: Task }
  | { readonly kind: 'has-it-not' }
  | { readonly kind: 'cannot-say' };

/**
 * The message went out but nobody knows whether the agent has it. The agent is asked. One that says it has
 * not gets it again (under the same message id), a few times; when it cannot say, the setting decides between
 * that and an honest failure for the reason `why`.
 */
export async function resolveUnknown(run: RunContext, why: string): Promise<Step> {
  const message = await messageOf(run);
  // Counted before it is done: an answer that stops this process must not stop the next ones for ever.
  await run.change((task, id, now) => decideStatusQuery(task, id, why, now));
  if (run.done || run.signal.aborted) return 'done';
  if (!run.unanswered) return 'follow';
  const finding = await queryWithRetries(run, (options) => ask(run, message, options));
  if (run.done || run.signal.aborted) return 'done';
  if (finding.kind === 'has-it') {
    await run.takeTask(finding.task);
    return run.done ? 'done' : 'follow';
  }
  // One that has just been asked in vain for the task cannot be told to stop it either.
  const agentNotified = run.downstreamTaskId === null;
  if (finding.kind === 'has-it-not' || run.deps.settings.resend === 'again') {
    return sendAgain(run, why, agentNotified);
  }
  await run.end({ state: 'failed', reason: why }, agentNotified);
  return 'done';
}

/**
 * The agent has refused a further message to a task of its own, for the reason `why`: when that task has
 * ended meanwhile, its end is taken. A refusal for anything else changes nothing. Asking counts as it does
 * for a message whose outcome is unknown.
 */
export async function takeEndOfTask(run: RunContext, why: string): Promise<void> {
  const { downstreamTaskId } = run.delegation;
  if (downstreamTaskId === null) return;
  await run.change((task, id, now) => decideStatusQuery(task, id, why, now));
  if (run.done || run.signal.aborted) return;
  const finding = await queryWithRetries(run, async (options): Promise<Finding> => {
    const task = await run.deps.client.getTask(run.agent, downstreamTaskId, options);
    return hasEnded(task) ? { kind: 'has-it', task } : { kind: 'cannot-say' };
  });
  if (run.done || run.signal.aborted) return;
  if (finding.kind === 'has-it') await run.takeTask(finding.task);
}

/** Commits that the message is sent again, or that it is not any more, before it is. */
async function sendAgain(run: RunContext, why: string, agentNotified: boolean): Promise<Step> {
  await run.change((task, id, now) => decideResend(task, id, { why, agentNotified }, now));
  if (run.done || run.signal.aborted) return 'done';
  if (!run.unanswered) return 'follow';
  await run.calls.sleep(resendPauseMs(timesResent(run.delegation)));
  return 'send';
}

/** All its questions, and the pauses between them, may take as long as the agent has for its first event. */
async function queryWithRetries(
  run: RunContext,
  question: (options: AgentCallOptions) => Promise<Finding>,
): Promise<Finding> {
  const { clock } = run.deps;
  const end = clock.now().getTime() + run.budgets.firstEventMs;
  const left = (): number => end - clock.now().getTime();
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    if (left() <= 0) break;
    try {
      return await run.calls.within(left(), question);
    } catch (error) {
      if (!(error instanceof AgentCallError)) throw error;
      if (!isTransient(error) || pause === null || pause >= left() || run.signal.aborted) break;
      await run.calls.sleep(pause);
    }
  }
  return { kind: 'cannot-say' };
}

async function ask(run: RunContext, message: Message, options: AgentCallOptions): Promise<Finding> {
  const { deps, agent, delegation } = run;
  const { downstreamTaskId } = delegation;
  if (downstreamTaskId !== null) {
    const task = await deps.client.getTask(agent, downstreamTaskId, options);
    return findingOf(task, message);
  }
  const found = await findOwnTask(run, message, options);
  if (found === undefined) return { kind: 'cannot-say' };
  return { kind: 'has-it', task: await deps.client.getTask(agent, found.id, options) };
}

/** A run, as far as the search for its task needs it. */
export type OwnTaskSearch = Pick<RunContext, 'agent' | 'delegation'> & {
  readonly deps: Pick<RunDeps, 'downstream'> & {
    readonly client: Pick<RunDeps['client'], 'findTasksByMessage'>;
  };
};

/**
 * The one task that can only have come of this delegation's message. Clients choose message ids and
 * may choose the same ones, so a task must also hold the same parts (unless the id is the hub's own),
 * must not be older than the delegation, and nobody else may have it or wait for it; undefined when
 * that leaves any doubt.
 */
export async function findOwnTask(
  { deps, agent, delegation }: OwnTaskSearch,
  message: Message,
  options: AgentCallOptions,
): Promise<Task | undefined> {
  const { messageId } = message;
  const context = delegation.downstreamContextId ?? '';
  const tasks = await deps.client.findTasksByMessage(agent, context, messageId, options);
  // The hub has made this id: nobody else uses it. What the message was made of may be gone by now.
  const isOwnId = messageId === delegation.id;
  const possible = tasks.filter(
    (task) =>
      (isOwnId ? holdsId(task, messageId) : holdsMessage(task, message)) &&
      !isOlder(task, delegation.createdAt),
  );
  if (possible.length === 0) return undefined;
  if (await deps.downstream.isAwaitedByAnother(delegation, messageId)) return undefined;
  const held = await deps.downstream.held(
    delegation.agentId,
    possible.map(({ id }) => id),
  );
  const free = possible.filter(({ id }) => !held.has(id));
  return free.length === 1 ? free[0] : undefined;
}

function holdsId({ history }: Task, id: string): boolean {
  return history.some(({ role, messageId }) => role === Role.ROLE_USER && messageId === id);
}

function holdsMessage({ history }: Task, { messageId, parts, referenceTaskIds }: Message): boolean {
  const sent = parts.map((part) => Part.toJSON(part));
  // What it refers to may have been attached behind them.
  const end = referenceTaskIds.length > 0 ? sent.length : undefined;
  return history.some(
    (each) =>
      each.role === Role.ROLE_USER &&
      each.messageId === messageId &&
      sameValue(
        each.parts.slice(0, end).map((part) => Part.toJSON(part)),
        sent,
      ),
  );
}

/** By its status, which is the only time a task tells: one that changed since may still be older. */
function isOlder({ status }: Task, than: Date): boolean {
  const at = Date.parse(status?.timestamp ?? '');
  return at < than.getTime() - CLOCK_SKEW_MS;
}

/** A further message of a known task: its history tells, when the agent keeps one. */
function findingOf(task: Task, message: Message): Finding {
  const theirs = task.history.filter(({ role }) => role === Role.ROLE_USER);
  const hasIt = theirs.some(({ messageId }) => messageId === message.messageId);
  if (hasIt || hasEnded(task)) return { kind: 'has-it', task };
  return { kind: theirs.length > 0 ? 'has-it-not' : 'cannot-say' };
}

function hasEnded({ status }: Task): boolean {
  return status !== undefined && isTerminal(status.state);
}

/** Why a delegation fails that an earlier process was sending. */
export function stoppedWhileSending({ agentName }: RunContext): string {
  return `The hub stopped while sending to ${agentName}; whether the agent has received the message is unknown.`;
}

/** Why one fails whose agent gave no answer. */
export function brokeOff({ agentName }: RunContext): string {
  return `${agentName} broke off before it answered; whether it works on the message is unknown.`;
}
