import { AgentCallError, type AgentCallOptions } from '../../agents/index.js';
import { timeLeft } from '../../common/time-left.js';
import { Part, Role, type Message, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import { decideStatusQuery } from '../domain/decide-status-query.js';
import { decideResend, resendPauseMs, timesResent } from '../domain/decide-resend.js';
import type { Why } from '../domain/end-delegation.js';
import { sameValue } from '../domain/equality.js';
import { isTransient } from './is-transient.js';
import { messageAmongOthers } from './outgoing-message.js';
import type { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';
import type { Step } from './steps.js';

/** The agent may be restarting as well: pauses between queries. */
const RETRY_PAUSES_MS = [500, 1000, 2000, 4000] as const;
/** How far an agent's clock may be behind the hub's. */
const CLOCK_SKEW_MS = 5000;

type Sent = Awaited<ReturnType<typeof messageAmongOthers>>;

/** Whether the agent has the message. */
type Finding =
  | { readonly kind: 'received'; readonly task: Task }
  | { readonly kind: 'not-received' }
  | { readonly kind: 'unknown' };

/**
 * The message was sent, but it is unknown whether the agent has received it. The agent is queried. If it has not
 * received the message, it gets it again (under the same message id), a few times; when the query does not tell,
 * the setting decides between a resend and a failure for the reason `why`. `isTakenOver`: another process had sent it.
 */
export async function resolveUnknown(
  run: RunContext,
  why: Why,
  isTakenOver: boolean,
): Promise<Step> {
  const sent = await messageAmongOthers(run);
  // Counted before the query: an answer that crashes this process must not crash the next ones for ever.
  await run.change((task, id, now) => decideStatusQuery(task, id, why, now, isTakenOver));
  if (run.done || run.signal.aborted) return 'done';
  if (!run.unanswered) return 'follow';
  const finding = await queryWithRetries(run, (options) => queryAgent(run, sent, options));
  if (run.done || run.signal.aborted) return 'done';
  if (finding.kind === 'received') {
    await run.takeTask(finding.task);
    return run.done ? 'done' : 'follow';
  }
  // If the query for the task failed, a cancel would fail too.
  const agentNotified = run.downstreamTaskId === null;
  if (finding.kind === 'not-received' || run.deps.settings.resend === 'again') {
    return resend(run, why, agentNotified);
  }
  await run.end({ state: 'failed', ...why }, agentNotified);
  return 'done';
}

/**
 * The agent has refused a further message to a task of its own, for the reason `why`: when that task has ended
 * meanwhile, its end is taken. A refusal for another reason changes nothing. The query counts as it does for a
 * message whose outcome is unknown.
 */
export async function takeEndOfTask(run: RunContext, why: Why): Promise<void> {
  const { downstreamTaskId } = run.delegation;
  if (downstreamTaskId === null) return;
  await run.change((task, id, now) => decideStatusQuery(task, id, why, now));
  if (run.done || run.signal.aborted) return;
  const finding = await queryWithRetries(run, async (options): Promise<Finding> => {
    const task = await run.deps.client.getTask(run.agent, downstreamTaskId, options);
    return hasEnded(task) ? { kind: 'received', task } : { kind: 'unknown' };
  });
  if (run.done || run.signal.aborted) return;
  if (finding.kind === 'received') await run.takeTask(finding.task);
}

/** Commits that the message is sent again, or is not sent any more, before it is sent. */
async function resend(run: RunContext, why: Why, agentNotified: boolean): Promise<Step> {
  await run.change((task, id, now) => decideResend(task, id, { why, agentNotified }, now));
  if (run.done || run.signal.aborted) return 'done';
  if (!run.unanswered) return 'follow';
  await run.calls.sleep(resendPauseMs(timesResent(run.delegation)));
  return 'send';
}

/** All queries, and the pauses between them, may take as long as the agent has for its first event. */
async function queryWithRetries(
  run: RunContext,
  query: (options: AgentCallOptions) => Promise<Finding>,
): Promise<Finding> {
  const left = timeLeft(run.deps.clock, run.budgets.firstEventMs);
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    if (left() <= 0) break;
    try {
      return await run.calls.within(left(), query);
    } catch (error) {
      if (!(error instanceof AgentCallError)) throw error;
      const isWorthRetry = isTransient(error) && error.detail.lacks === undefined;
      if (!isWorthRetry || pause === null || pause >= left() || run.signal.aborted) break;
      await run.calls.sleep(pause);
    }
  }
  return { kind: 'unknown' };
}

async function queryAgent(
  run: RunContext,
  { message, others }: Sent,
  options: AgentCallOptions,
): Promise<Finding> {
  const { deps, agent, delegation } = run;
  const { downstreamTaskId } = delegation;
  if (downstreamTaskId !== null) {
    const task = await deps.client.getTask(agent, downstreamTaskId, options);
    return findingOf(task, message.messageId, others);
  }
  const found = await findOwnTask(run, message, options);
  if (found === undefined) return { kind: 'unknown' };
  return { kind: 'received', task: await deps.client.getTask(agent, found.id, options) };
}

/** A run, as far as the search for its task needs it. */
export type OwnTaskSearch = Pick<RunContext, 'agent' | 'delegation'> & {
  readonly deps: Pick<RunDeps, 'downstream'> & {
    readonly client: Pick<RunDeps['client'], 'findTasksByMessage'>;
  };
};

/**
 * The one task that can only have come of this delegation's message. Clients choose message ids and may choose
 * the same ones, so a task must also hold the same parts (unless the id is the hub's own), must not be older
 * than the delegation, and no other delegation may have it or wait for it; undefined when there is any doubt.
 */
export async function findOwnTask(
  { deps, agent, delegation }: OwnTaskSearch,
  message: Message,
  options: AgentCallOptions,
): Promise<Task | undefined> {
  const { messageId } = message;
  const context = delegation.downstreamContextId ?? '';
  const tasks = await deps.client.findTasksByMessage(agent, context, messageId, options);
  // The hub has made this id, so it is unique. The content of the message may be gone by now.
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

/** By its status, the only time a task has: a task that changed since may still be older. */
function isOlder({ status }: Task, than: Date): boolean {
  const at = Date.parse(status?.timestamp ?? '');
  return at < than.getTime() - CLOCK_SKEW_MS;
}

/**
 * For a further message of a known task: by its history. That the message is missing there says something only where
 * another one is there under its own id: there are agents that keep no history, and some that give messages new ids.
 */
function findingOf(task: Task, id: string, others: ReadonlySet<string>): Finding {
  if (holdsId(task, id) || hasEnded(task)) return { kind: 'received', task };
  return { kind: [...others].some((other) => holdsId(task, other)) ? 'not-received' : 'unknown' };
}

function hasEnded({ status }: Task): boolean {
  return status !== undefined && isTerminal(status.state);
}

/** The reason for a delegation that an earlier process was sending. */
export function stoppedWhileSending({ agentName }: RunContext): Why {
  const reason = `The hub stopped while sending to ${agentName}; whether the agent has received the message is unknown.`;
  return { reason, code: 'OUTCOME_UNKNOWN' };
}

/** The reason for a delegation whose agent gave no answer. */
export function brokeOff({ agentName }: RunContext): Why {
  const reason = `${agentName} broke off before it answered; whether it works on the message is unknown.`;
  return { reason, code: 'OUTCOME_UNKNOWN' };
}
