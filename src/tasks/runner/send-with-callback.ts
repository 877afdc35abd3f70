import { AgentCallError, type AgentCallOptions, type AgentSend } from '../../agents/index.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import type { RunContext } from './run-context.js';

type Answer = ReturnType<RunContext['deps']['client']['send']>;

/** How agents refuse a message for the address in it, whatever their card says. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([
  ERROR_CODES.PUSH_NOTIFICATION_NOT_SUPPORTED,
  ERROR_CODES.UNSUPPORTED_OPERATION,
  ERROR_CODES.INVALID_PARAMS,
]);

/**
 * Sends without a stream, with a callback address for changes of the task, if the agent can call back. A refusal
 * means that the message was not accepted, so it is sent again without the address; when that is accepted, the
 * agent is not offered an address again.
 */
export async function sendWithCallback(
  run: RunContext,
  send: AgentSend,
  options: AgentCallOptions,
): Answer {
  const { deps, agent, delegation } = run;
  const callback = await deps.callbacks.offerTo(agent, delegation.id);
  if (callback === undefined) return deps.client.send(agent, send, options);
  try {
    return await deps.client.send(agent, { ...send, callback }, options);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const answer = await deps.client.send(agent, send, options);
    deps.callbacks.refusedBy(agent);
    return answer;
  }
}

function isRefusal(error: unknown): boolean {
  const rejected = error instanceof AgentCallError && error.kind === 'rejected';
  return rejected && REFUSALS.has(error.detail.code);
}
