import type { CallContext, Operator } from '../auth/index.js';
import type { Message, SendMessageConfiguration } from '../protocol/a2a.js';
import type { RoutingDirective } from '../protocol/routing-extension.js';

/** One message to be routed: the only input of routing. */
export interface HubRequest extends CallContext {
  readonly message: Message;
  readonly configuration: SendMessageConfiguration | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The routing extension and the plain keys, parsed and validated. */
  readonly directive: RoutingDirective;
  /** True: answer as soon as the task is stored. */
  readonly returnImmediately: boolean;
  /** With `returnImmediately`: not before the agent has taken the task up, if it does so soon. */
  readonly awaitsAgent?: boolean;
  /** An operator sends the message of this task again, in the place of its client. */
  readonly retry?: Retry;
}

/** An operator has had the first message of this ended task sent again. */
export interface Retry {
  readonly taskId: string;
  readonly by: Operator;
}
