import type { AgentMethod } from './agent-method.js';

/** The last segment of the address of each method that AgentOS of Agno serves. */
const SEGMENTS: Readonly<Partial<Record<AgentMethod, string>>> = {
  SendMessage: 'message:send',
  SendStreamingMessage: 'message:stream',
  GetTask: 'tasks:get',
  CancelTask: 'tasks:cancel',
};

/** Asked by the id of a task. */
const OF_A_TASK: ReadonlySet<AgentMethod> = new Set(['GetTask', 'CancelTask']);

/** An address that ends in one of them, with what is before it and behind it. */
const OF_A_METHOD = /^([^?]*\/)(?:message:send|message:stream)(\?.*)?$/;

/**
 * Where a method is called over JSON-RPC. Some servers of JSON-RPC have an address for each method, named as HTTP+JSON names
 * its own, and their card gives that of one: the others are beside it.
 */
export function addressFor(url: string, method: AgentMethod): string {
  const segment = SEGMENTS[method];
  const [, before, query = ''] = segment === undefined ? [] : (OF_A_METHOD.exec(url) ?? []);
  return before === undefined ? url : `${before}${segment}${query}`;
}

/** What such a server wants beside the id of a task: the context that it keeps the task in, where that is known. */
export function paramsBeside(
  url: string,
  method: AgentMethod,
  contextId: string | undefined,
): { readonly contextId: string } | undefined {
  if (!contextId || !OF_A_TASK.has(method)) return undefined;
  return addressFor(url, method) === url ? undefined : { contextId };
}
