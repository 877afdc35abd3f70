import type { Transport } from '@a2a-js/sdk/client';

/** What the hub uses of an SDK transport, whichever binding is behind it. */
export type AgentTransport = Pick<
  Transport,
  'sendMessage' | 'sendMessageStream' | 'getTask' | 'cancelTask' | 'listTasks' | 'resubscribeTask'
> & {
  /** The JSON of the answer, or of the event, that it gave last, where its binding has such. */
  readonly lastJson?: unknown;
};
