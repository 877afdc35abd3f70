import type { SendMessageRequest, TaskPushNotificationConfig } from '../../protocol/a2a.js';
import type { AgentCallback, AgentSend } from './agent-client.js';

/** The client's push config is never in it: the hub delivers webhooks itself. */
export function requestOf(
  { tenant }: { readonly tenant: string },
  send: AgentSend,
  returnImmediately: boolean,
): SendMessageRequest {
  return {
    tenant,
    message: send.message,
    configuration: {
      acceptedOutputModes: [...send.acceptedOutputModes],
      taskPushNotificationConfig: send.callback && configOf(send.callback),
      returnImmediately,
    },
    metadata: send.metadata === undefined ? undefined : { ...send.metadata },
  };
}

/** Agents of 0.x send the token only; those of 1.0 prove themselves by both. */
function configOf({ url, token }: AgentCallback): TaskPushNotificationConfig {
  const authentication = { scheme: 'Bearer', credentials: token };
  return { tenant: '', taskId: '', id: '', url, token, authentication };
}
