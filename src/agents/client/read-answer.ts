import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { AgentTransport } from '../binding/agent-transport.js';
import { eventInAnyForm, taskInAnyForm } from '../binding/any-form.js';
import { checkEvent, checkMessage, checkTask } from './check-answer.js';

/** What a message was answered with. */
export type Sent = { readonly message: Message } | { readonly task: Task };

/** The call that an answer is of. */
export interface Answered {
  readonly transport: Pick<AgentTransport, 'lastJson'>;
  /** Called when the answer is in another form than its version has. */
  readonly otherForm: () => void;
}

/**
 * An answer that the hub can build upon. What the codec of its version has not read, or has read as something
 * that does not hold, is read again in whatever form it has; what cannot be read in any fails as it did first.
 */
export function readEvent(event: StreamResponse, call: Answered): StreamResponse {
  try {
    return checkEvent(event);
  } catch (error) {
    return again(call, error, (json) => {
      const other = eventInAnyForm(json);
      return other && checkEvent(other);
    });
  }
}

/** See {@link readEvent}. */
export async function readTask(requested: Promise<Task>, call: Answered): Promise<Task> {
  try {
    return checkTask(await requested);
  } catch (error) {
    return again(call, error, (json) => {
      const other = taskInAnyForm(json);
      return other && checkTask(other);
    });
  }
}

/** See {@link readEvent}. */
export async function readSent(requested: Promise<Message | Task>, call: Answered): Promise<Sent> {
  try {
    const answer = await requested;
    return 'messageId' in answer
      ? { message: checkMessage(answer, 'message') }
      : { task: checkTask(answer) };
  } catch (error) {
    return again(call, error, sentInAnyForm);
  }
}

function sentInAnyForm(json: unknown): Sent | undefined {
  const payload = eventInAnyForm(json)?.payload;
  if (payload?.$case === 'task') return { task: checkTask(payload.value) };
  if (payload?.$case === 'message') return { message: checkMessage(payload.value, 'message') };
  return undefined;
}

function again<T>(
  { transport, otherForm }: Answered,
  error: unknown,
  read: (json: unknown) => T | undefined,
): T {
  const { lastJson } = transport;
  let other: T | undefined;
  try {
    other = lastJson === undefined ? undefined : read(lastJson);
  } catch {
    // The first error tells what is wrong in the form that was asked for.
  }
  if (other === undefined) throw error;
  otherForm();
  return other;
}
