import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { NO_CHANGE } from '../task.js';
import { decideDeadline } from './decide-deadline.js';
import { decideFailover, decideOutcome } from './delegation-decisions.js';
import {
  artifact,
  chunk,
  reply,
  said,
  snapshot,
  status,
  statusOf,
  userMessage,
} from './fake-events.js';
import { FakeTask, NOW, why } from './fake-task.js';
import { decideAbandonedCanceled } from './abandoned-tasks.js';
import { MAX_ARTIFACTS } from './given-artifacts.js';

/** A message that does not say of which task it is. */
function ofNoTask(text: string): StreamResponse {
  return { payload: { $case: 'message', value: { ...said(text), taskId: '' } } };
}

/** A whole answer, in this context of the agent. */
function replyIn(contextId: string): StreamResponse {
  return { payload: { $case: 'message', value: { ...said('hi'), contextId } } };
}

const LATER = new Date('2026-01-03T00:00:00Z');

describe('an event of the only agent', () => {
  it('shows statuses and artifacts as they are, in their order', () => {
    const task = new FakeTask();
    task.agent(status('submitted'));
    task.agent(status('working', 'reading'));
    task.agent(chunk('out', 'one'));
    task.agent(chunk('out', 'two', { append: true, lastChunk: true }));
    task.agent(status('completed', 'done'));
    expect(task.story()).toEqual([
      'status WORKING: reading',
      'artifact out=one',
      'artifact out+two.',
      'status COMPLETED: done',
    ]);
    expect(task.delegation()).toMatchObject({ state: 'completed', reason: null, owner: null });
  });

  it('never lets a downstream id out', () => {
    const task = new FakeTask();
    const message = { ...said('see'), referenceTaskIds: ['down-task', 'other-task'] };
    task.agent(
      snapshot({
        status: statusOf('working', message),
        artifacts: [artifact('out', 'x')],
        history: [{ ...userMessage('m1', 'hello'), taskId: 'down-task' }, said('step')],
      }),
    );
    task.agent(status('input', 'which?'));
    const seen = JSON.stringify([task.log, task.task]);
    expect(seen).not.toContain('down-');
    expect(seen).not.toContain('other-task');
    expect(task.task.history.map((each) => each.referenceTaskIds)).toContainEqual(['task']);
  });

  it('says of each artifact where it comes from, once', () => {
    const task = new FakeTask({ delegation: { skillId: 'profile' } });
    task.agent(chunk('out', 'one'));
    task.agent(chunk('out', 'two', { append: true }));
    expect(task.task.artifacts[0]?.metadata).toEqual({
      [ROUTING_EXTENSION_URI]: { agentId: 'a', skillId: 'profile', delegationId: 'd-a' },
    });
    const second = task.log[1]?.payload;
    expect(second?.$case === 'artifactUpdate' && second.value.artifact?.metadata).toBeUndefined();
  });

  it('makes an artifact of an append that has nothing to append to', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'two', { append: true }));
    expect(task.story()).toEqual(['artifact out=two']);
  });

  it('costs no change of the delegation for a further chunk', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'one'));
    const change = task.agent(chunk('out', 'two', { append: true }));
    expect(change.delegations).toEqual([]);
  });

  it('knows which artifacts are complete: at the last chunk, and all at the end', () => {
    const task = new FakeTask();
    task.agent(chunk('one', 'x', { lastChunk: true }));
    task.agent(chunk('two', 'x'));
    const closed = (): string[] =>
      task.delegation().progress.artifacts.flatMap((each) => (each.closed ? [each.id] : []));
    expect(closed()).toEqual(['one']);
    task.agent(chunk('one', 'y'));
    expect(closed()).toEqual([]);
    task.agent(status('completed'));
    expect(closed()).toEqual(['one', 'two']);
  });

  it('does not show a repeated status twice', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    task.agent(status('working'));
    task.agent(status('input', 'which?'));
    task.agent(status('input', 'which?'));
    expect(task.story()).toEqual(['status WORKING', 'status INPUT_REQUIRED: which?']);
  });

  it('never goes back to submitted', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    task.agent(status('submitted', 'queued again'));
    expect(task.story()).toEqual(['status WORKING', 'status WORKING: queued again']);
  });

  it('takes a state that says nothing for nothing, but learns the ids', () => {
    const task = new FakeTask();
    task.agent(status('unspecified'));
    expect(task.story()).toEqual([]);
    expect(task.delegation()).toMatchObject({
      state: 'working',
      downstreamTaskId: 'down-task',
      downstreamContextId: 'down-context',
    });
  });

  it('writes times with their zone', () => {
    const task = new FakeTask();
    const event = status('working', 'x');
    if (event.payload?.$case === 'statusUpdate' && event.payload.value.status) {
      event.payload.value.status.timestamp = '2026-11-21T02:15:22.137971';
    }
    task.agent(event);
    expect(task.task.status?.timestamp).toBe(NOW.toISOString());
  });

  it('keeps new metadata of a status and strips what speaks for a hub', () => {
    const task = new FakeTask();
    const event = status('working');
    if (event.payload?.$case === 'statusUpdate') {
      event.payload.value.metadata = { step: 1, [ROUTING_EXTENSION_URI]: { hops: [] } };
    }
    task.agent(event);
    expect(task.task.metadata).toEqual({ step: 1 });
  });

  it('drops parts that hold nothing', () => {
    const task = new FakeTask();
    const event = chunk('out', 'x');
    if (event.payload?.$case === 'artifactUpdate') {
      event.payload.value.artifact?.parts.push({
        content: undefined,
        metadata: undefined,
        filename: '',
        mediaType: '',
      });
    }
    task.agent(event);
    expect(task.task.artifacts[0]?.parts).toHaveLength(1);
  });
});

describe('a plain Message', () => {
  it('is the reply, an artifact and the end, where the sender may get a Message', () => {
    const task = new FakeTask({ allowReply: true });
    task.agent(reply('42'));
    expect(task.story()).toEqual(['reply 42', 'artifact msg-42=42.', 'status COMPLETED']);
    const payload = task.log[0]?.payload;
    expect(payload?.$case === 'message' && payload.value).toMatchObject({
      taskId: '',
      contextId: 'context',
    });
    expect(task.task.history.map((each) => each.messageId)).toEqual(['m1']);
  });

  it('is an artifact and the end otherwise', () => {
    const task = new FakeTask();
    task.agent(reply('42'));
    expect(task.story()).toEqual(['artifact msg-42=42.', 'status COMPLETED']);
  });

  it('is an artifact and the end as the answer to a follow-up', () => {
    const task = new FakeTask({ allowReply: true, delegation: { downstreamTaskId: 'down-task' } });
    task.agent(reply('42'));
    expect(task.story()).toEqual(['artifact msg-42=42.', 'status COMPLETED']);
  });

  it('is one of the artifacts among several agents', () => {
    const task = new FakeTask({ agents: ['a', 'b'], allowReply: true });
    task.agent(reply('42'));
    expect(task.story()).toEqual(['artifact a.msg-42=42.', 'status WORKING: Agent a completed.']);
  });
});

describe('an invalid agent response', () => {
  it('is no message that carries the id of the task: those are progress, each of them', () => {
    const task = new FakeTask({ allowReply: true });
    task.agent(status('working'));
    for (const text of ['ha', 'ha']) task.agent(reply(text));
    task.agent(status('completed'));
    expect(task.story().slice(1)).toEqual([
      'status WORKING: ha',
      'status WORKING: ha',
      'status COMPLETED',
    ]);
  });

  it('is no such message while the client is asked: the question stays open', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    task.agent(reply('a or b'));
    expect(task.state).toBe('INPUT_REQUIRED');
    expect(task.story().at(-1)).toBe('status INPUT_REQUIRED: a or b');
  });

  it('is a message after a task that does not say it belongs to it', () => {
    const task = new FakeTask({ allowReply: true });
    task.agent(status('working'));
    task.agent(ofNoTask('42'));
    expect(task.state).toBe('FAILED');
    expect(task.delegation().reason).toMatch(/^InvalidAgentResponse: .*message after a task/);
  });

  it.each([
    ['one by one', (ids: readonly string[]) => ids.map((id) => chunk(id, 'x'))],
    [
      'in one snapshot',
      (ids: readonly string[]) => [
        snapshot({ status: statusOf('working'), artifacts: ids.map((id) => artifact(id, 'x')) }),
      ],
    ],
  ])('is one artifact too many, %s', (_, eventsOf) => {
    const ids = Array.from({ length: MAX_ARTIFACTS }, (__, i) => `out-${i}`);
    const task = new FakeTask();
    for (const event of eventsOf(ids)) task.agent(event);
    expect(task.task.artifacts.map(({ artifactId }) => artifactId)).toEqual(ids);
    task.agent(chunk('out-0', 'y', { append: true }));
    expect(task.state).not.toBe('FAILED');
    for (const event of eventsOf([...ids, 'more'])) task.agent(event);
    expect(task.delegation()).toMatchObject({
      state: 'failed',
      reason: 'InvalidAgentResponse: the agent gave more than 1000 artifacts.',
    });
    expect(task.task.artifacts).toHaveLength(MAX_ARTIFACTS);
  });

  it('is one whose artifacts have ids of 64 KiB together', () => {
    const task = new FakeTask();
    const id = (n: number): string => `${n}`.padEnd(8 * 1024, 'x');
    for (let n = 0; n < 8; n += 1) task.agent(chunk(id(n), 'x'));
    task.agent(chunk(id(7), 'y', { append: true }));
    expect(task.state).not.toBe('FAILED');
    task.agent(chunk('i', 'x'));
    expect(task.delegation().reason).toBe(
      "InvalidAgentResponse: the ids of the agent's artifacts have more than 65536 characters.",
    );
    expect(task.task.artifacts).toHaveLength(8);
  });

  it.each([
    ['a task', status('working', undefined, 'i'.repeat(4097))],
    ['a context', snapshot({ contextId: 'i'.repeat(4097), status: statusOf('working') })],
    ['the context of a reply', replyIn('i'.repeat(4097))],
  ])('is an id of more than 4096 characters, of %s', (_, event) => {
    const task = new FakeTask();
    task.agent(event);
    expect(task.delegation()).toMatchObject({
      state: 'failed',
      reason:
        'InvalidAgentResponse: the agent sent the id of a task or a context that has more than 4096 characters.',
      downstreamTaskId: null,
      downstreamContextId: null,
    });
  });

  it('is an event of another task', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    task.agent(status('working', 'x', 'another'));
    expect(task.state).toBe('FAILED');
    expect(task.delegation().reason).toMatch(/^InvalidAgentResponse: .*another task/);
  });

  it('is not the other task id that answers a further message', () => {
    const task = new FakeTask({ delegation: { downstreamTaskId: 'first-task' } });
    task.agent(snapshot({ status: statusOf('submitted') }));
    expect(task.delegation()).toMatchObject({ state: 'working', downstreamTaskId: 'down-task' });
  });

  it('leaves the task before to be canceled with the agent, at the end at the latest', () => {
    const task = new FakeTask({ delegation: { downstreamTaskId: 'first-task' } });
    task.agent(status('working', 'x'));
    expect(task.delegation().progress.abandoned).toEqual(['first-task']);
    task.agent(status('completed'));
    expect(task.delegation()).toMatchObject({
      state: 'completed',
      cancelPending: true,
      owner: 'runner',
    });
    task.commit(decideAbandonedCanceled(task.aggregate, 'd-a', ['another']));
    expect(task.delegation().progress.abandoned).toEqual(['first-task']);
    task.commit(decideAbandonedCanceled(task.aggregate, 'd-a', ['first-task']));
    expect(task.delegation().progress).not.toHaveProperty('left');
  });

  it('owes no word to a task that the agent has gone back to', () => {
    const task = new FakeTask({ delegation: { downstreamTaskId: 'first-task' } });
    task.agent(status('working', 'x'));
    task.change('a', { state: 'sending' });
    task.agent(status('working', 'y', 'first-task'));
    expect(task.delegation()).toMatchObject({
      downstreamTaskId: 'first-task',
      progress: { abandoned: ['down-task'] },
    });
  });

  it('ends the whole when every agent was required, and cancels the others', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('working'));
    task.agent(ofNoTask('42'));
    expect(task.state).toBe('FAILED');
    expect(task.delegation('b')).toMatchObject({ state: 'canceled' });
    expect(task.delegation('b').reason).toContain('Agent a failed');
  });
});

describe('after the end', () => {
  it('nothing changes a terminal task', () => {
    const task = new FakeTask();
    task.agent(status('canceled'));
    expect(task.agent(status('completed'))).toBe(NO_CHANGE);
    expect(task.agent(chunk('late', 'x'))).toBe(NO_CHANGE);
    expect(task.agent(reply('late'))).toBe(NO_CHANGE);
    const outcome = { state: 'failed', reason: 'x', code: 'AGENT_UNREACHABLE' } as const;
    expect(decideOutcome(task.aggregate, 'd-a', outcome, NOW)).toBe(NO_CHANGE);
    expect(decideFailover(task.aggregate, 'd-a', why('x'), NOW)).toBe(NO_CHANGE);
    expect(decideDeadline(task.aggregate, LATER)).toBe(NO_CHANGE);
  });

  it('nothing changes an ended delegation of a running task', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('completed'));
    expect(task.agent(status('failed'))).toBe(NO_CHANGE);
    expect(task.agent(reply('second'))).toBe(NO_CHANGE);
  });

  it('nothing is done for a delegation that is not there', () => {
    const task = new FakeTask();
    expect(task.agent(status('working'), 'nobody')).toBe(NO_CHANGE);
  });
});

describe('several agents', () => {
  it('show the progress of each by name and complete when all have', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('submitted'), 'a');
    task.agent(status('working', 'reading'), 'a');
    task.agent(status('working'), 'b');
    task.agent(chunk('out', 'x'), 'a');
    task.agent(chunk('out', 'y'), 'b');
    task.agent(status('completed', 'done'), 'a');
    task.agent(status('completed'), 'b');
    expect(task.story()).toEqual([
      'status WORKING',
      'status WORKING: Agent a: reading',
      'status WORKING: Agent b is working.',
      'artifact a.out=x',
      'artifact b.out=y',
      'status WORKING: Agent a: done',
      'status WORKING: Agent b completed.',
      'status COMPLETED: 2 of 2 agents completed.',
    ]);
  });

  it('tell by metadata whose progress it is', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('working', 'reading'), 'b');
    expect(task.task.status?.message).toMatchObject({
      messageId: 'b.msg-reading',
      metadata: {
        [ROUTING_EXTENSION_URI]: { agentId: 'b', delegationId: 'd-b', state: 'working' },
      },
    });
  });

  it('wait together: a question is shown while others work, and is the state when none does', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('working'), 'b');
    task.agent(status('input', 'which?'), 'a');
    expect(task.state).toBe('WORKING');
    task.agent(status('completed'), 'b');
    expect(task.story().slice(1)).toEqual([
      'status WORKING: Agent a: which?',
      'status WORKING: Agent b completed.',
      'status INPUT_REQUIRED: Agent a: which?',
    ]);
    expect(task.task.status?.message?.metadata?.[ROUTING_EXTENSION_URI]).toMatchObject({
      agentId: 'a',
      waiting: [{ agentId: 'a', delegationId: 'd-a', step: 'task', state: 'input-required' }],
    });
  });

  it('name everyone that waits, and ask for authorization first', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('input', 'which?'), 'a');
    task.agent(status('auth', 'log in'), 'b');
    expect(task.state).toBe('AUTH_REQUIRED');
    expect(task.story().at(-1)).toBe('status AUTH_REQUIRED: Agent a: which?\nAgent b: log in');
  });

  it('complete without the missing ones when one is enough, naming them', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('failed', 'no disk'), 'a');
    expect(task.state).toBe('WORKING');
    task.agent(status('completed'), 'b');
    expect(task.story().at(-1)).toBe(
      'status COMPLETED: 1 of 2 agents completed. Missing: Agent a failed (no disk).',
    );
  });

  it('are rejected when all reject, and failed when none completes', () => {
    const rejected = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    rejected.agent(status('rejected'), 'a');
    rejected.agent(status('rejected'), 'b');
    expect(rejected.state).toBe('REJECTED');
    const failed = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    failed.agent(status('rejected'), 'a');
    failed.agent(status('canceled'), 'b');
    expect(failed.state).toBe('FAILED');
  });

  it('give the same agent asked twice different artifact ids', () => {
    const task = new FakeTask({ agents: ['a', 'b'], delegation: { agentId: 'same' } });
    task.agent(chunk('out', 'x'), 'a');
    task.agent(chunk('out', 'y'), 'b');
    expect(task.task.artifacts.map((each) => each.artifactId)).toEqual([
      'same.0.out',
      'same.1.out',
    ]);
  });
});
