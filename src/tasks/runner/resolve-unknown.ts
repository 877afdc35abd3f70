import { AgentCallError } from '../../agents/index.js';
import { Role, type Message, type Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { RunContext } from './run-context.js';
import type { Step } from './steps.js';

/** An agent may be starting again as well: pauses before it is asked again. */
const RETRY_PAUSES_MS = [500, 1000, 2000, 4000] as const;

/** What the agent says of the message. */
type Finding =
  | { readonly kind: 'has-it'; readonly task: Task }
  | { readonly kind: 'has-it-not' }
  | { readonly kind: 'cannot-say' };

/**
 * The message went out but nobody knows whether the agent has it. The agent is asked; when it cannot
 * say, the setting decides between sending again (under the same message id) and an honest failure
 * for the reason `why`.
 */
export async function resolveUnknown(
  run: RunContext,
  message: Message,
  why: string,
): Promise<Step> {
  const finding = await askPatiently(run, message);
  if (run.over || run.signal.aborted) return 'done';
  if (finding.kind === 'has-it') {
    await run.takeTask(finding.task);
    return run.over ? 'done' : 'follow';
  }
  if (finding.kind === 'has-it-not' || run.deps.settings.resend === 'again') return 'send';
  await run.fail(why);
  return 'done';
}

async function askPatiently(run: RunContext, message: Message): Promise<Finding> {
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    try {
      return await run.within(run.budgets.firstEventMs, (options) => ask(run, message, options));
    } catch (error) {
      if (!(error instanceof AgentCallError)) throw error;
      const away = error.kind === 'unreachable' || error.kind === 'interrupted';
      if (!away || pause === null || run.signal.aborted) break;
      await run.sleep(pause);
    }
  }
  return { kind: 'cannot-say' };
}

async function ask(
  { deps, agent, delegation }: RunContext,
  message: Message,
  options: Parameters<RunContext['deps']['client']['getTask']>[2],
): Promise<Finding> {
  const { downstreamTaskId, downstreamContextId } = delegation;
  if (downstreamTaskId !== null) {
    const task = await deps.client.getTask(agent, downstreamTaskId, options);
    return findingOf(task, message);
  }
  const context = downstreamContextId ?? '';
  const task = await deps.client.findTaskByMessage(agent, context, message.messageId, options);
  return task ? { kind: 'has-it', task } : { kind: 'cannot-say' };
}

/** A further message of a known task: its history tells, when the agent keeps one. */
function findingOf(task: Task, message: Message): Finding {
  const theirs = task.history.filter(({ role }) => role === Role.ROLE_USER);
  const hasIt = theirs.some(({ messageId }) => messageId === message.messageId);
  if (hasIt || (task.status && isTerminal(task.status.state))) return { kind: 'has-it', task };
  return { kind: theirs.length > 0 ? 'has-it-not' : 'cannot-say' };
}
