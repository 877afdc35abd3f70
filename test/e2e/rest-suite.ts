import { expect, it } from '@jest/globals';
import { type Message, type Task, TaskState } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { collect, kindsOf, sdkRequest } from '../support/sdk-client.js';
import { taskOf } from './rest-harness.js';

/** A message to the agent `echo`. */
export function toEcho(text: string, more: Partial<Message> = {}): ReturnType<typeof sdkRequest> {
  return sdkRequest(text, { message: { metadata: { agentId: 'echo' }, ...more } });
}

/** What the SDK's client can do over HTTP+JSON in every version. */
export function restClientSuite(client: () => Transport): void {
  const send = async (text: string, more: Partial<Message> = {}): Promise<Task> =>
    taskOf(await client().sendMessage(toEcho(text, more)));

  it('is given a message for a message', async () => {
    const result = (await client().sendMessage(toEcho('reply'))) as Message;
    expect(result.parts[0]!.content).toEqual({ $case: 'text', value: 'just a message' });
    const events = await collect(client().sendMessageStream(toEcho('reply')));
    expect(kindsOf(events)).toEqual(['message']);
  });

  it('streams a task to its end', async () => {
    const events = await collect(client().sendMessageStream(toEcho('that')));
    expect(events[0]!.payload?.$case).toBe('task');
    expect(kindsOf(events)).toContain('artifactUpdate');
    expect(events.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  it('returns at once when it does not want to wait, subscribes and cancels', async () => {
    const request = toEcho('wait');
    request.configuration!.returnImmediately = true;
    const task = taskOf(await client().sendMessage(request));
    const stream = client().resubscribeTask({ tenant: '', id: task.id });
    const first = await stream.next();
    expect(first.value?.payload).toMatchObject({ $case: 'task', value: { id: task.id } });
    const canceled = await client().cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const rest = await collect(stream);
    expect(rest.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_CANCELED } },
    });
  });

  it('answers a question', async () => {
    const requested = await send('ask');
    expect(requested.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = requested;
    const done = await send('this one', { taskId, contextId });
    expect([done.id, done.status?.state]).toEqual([taskId, TaskState.TASK_STATE_COMPLETED]);
  });
}
