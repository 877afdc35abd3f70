import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../agents/index.js';
import type { Message, Task } from '../../protocol/a2a.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { chunk, status, userMessage } from '../domain/fake-events.js';
import { FakeTask, planStep } from '../domain/fake-task.js';
import { firstMessage } from '../domain/step-input.js';
import { findOwnTask } from './resolve-unknown.js';

const OPTIONS = { signal: new AbortController().signal } as Parameters<typeof findOwnTask>[2];

/** A race behind a draft: b has won, and c has the message but has not said which task it began. */
function race(): { task: FakeTask; sent: Message; rebuilt: Message } {
  const plan = [
    planStep('draft', ['a'], { isResult: false }),
    planStep('race', ['b', 'c'], {
      strategy: 'first',
      after: [{ step: 'draft', outcome: 'completed' }],
      inputs: [{ from: 'step', step: 'draft' }],
    }),
  ];
  const task = new FakeTask({ plan });
  const message = (): Message =>
    firstMessage(task.aggregate, task.delegation('c'), userMessage('m1', 'hello'));
  task.agent(chunk('x', 'one', { lastChunk: true }), 'a');
  task.agent(status('completed'), 'a');
  task.claim('b').claim('c');
  const sent = message();
  task.agent(status('completed'), 'b');
  return { task, sent, rebuilt: message() };
}

/** What c is found to work on, of tasks that hold this message. */
function found(task: FakeTask, message: Message, inHistory: Message): Promise<Task | undefined> {
  const theirs = { ...emptyTask('down', 'context'), history: [inHistory] };
  const deps = {
    client: { findTasksByMessage: () => Promise.resolve([theirs]) },
    downstream: {
      held: () => Promise.resolve(new Set<string>()),
      isAwaitedByAnother: () => Promise.resolve(false),
    },
  };
  const search = { deps, agent: {} as Agent, delegation: task.delegation('c') };
  return findOwnTask(search, message, OPTIONS);
}

describe('the task of an agent that has not named it', () => {
  it('is found by the message of a later step, though the task that it was made of has ended', async () => {
    const { task, sent, rebuilt } = race();
    expect(task.delegation('c')).toMatchObject({ state: 'canceled', cancelPending: true });
    expect(rebuilt.messageId).toBe(sent.messageId);
    expect(rebuilt.parts).not.toEqual(sent.parts);
    expect((await found(task, rebuilt, sent))?.id).toBe('down');
  });

  it('is not one with other parts when a client has chosen the id', async () => {
    const { task } = race();
    const message = userMessage('m1', 'hello');
    expect((await found(task, message, message))?.id).toBe('down');
    expect(await found(task, message, userMessage('m1', 'something else'))).toBeUndefined();
  });
});
