import type { Transport } from '@a2a-js/sdk/client';

/** What the hub uses of an SDK transport, whichever binding is behind it. */
export type AgentTransport = Pick<
  Transport,
  'sendMessage' | 'sendMessageStream' | 'getTask' | 'cancelTask' | 'listTasks' | 'resubscribeTask'
>;
