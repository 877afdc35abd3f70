import { describe, expect, it } from '@jest/globals';
import { readDirective, ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { NO_CHANGE, type TaskChange } from '../task.js';
import { decideCancelRequest, decideFollowUp, decideTaskFailed } from './task-decisions.js';
import { decideOutcome } from './delegation-decisions.js';
import { reply, snapshot, status, statusOf, userMessage } from './fake-events.js';
import { FakeTask, NOW, planStep, why } from './fake-task.js';

const followUp = (task: FakeTask, text = 'more', replyTo?: string): TaskChange => {
  const change = decideFollowUp(task.aggregate, clientMessage(text), { replyTo }, NOW);
  task.commit(change);
  return change;
};

const clientMessage = (text: string) => ({
  ...userMessage(`msg-${text}`, text),
  taskId: '',
  contextId: '',
});

describe('a request to cancel', () => {
  it('is recorded and leaves the rest to who has the agent on the line', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.aggregate.record.cancelRequestedAt).toEqual(NOW);
    expect(task.state).toBe('WORKING');
    expect(decideCancelRequest(task.aggregate, NOW)).toBe(NO_CHANGE);
  });

  it('keeps the metadata of the first one for the agents, without the hub’s own', () => {
    const task = new FakeTask();
    const own = { 'urn:a2a-hub:routing:v1': { tags: ['x'] } };
    expect(decideCancelRequest(task.aggregate, NOW, own).record!.cancelMetadata).toBeNull();
    expect(decideCancelRequest(task.aggregate, NOW, {}).record!.cancelMetadata).toBeNull();
    task.commit(decideCancelRequest(task.aggregate, NOW, { why: 'enough', ...own }));
    expect(task.aggregate.record.cancelMetadata).toEqual({ why: 'enough' });
    expect(decideCancelRequest(task.aggregate, NOW, { why: 'again' })).toBe(NO_CHANGE);
  });

  it('is refused with more than 64 KiB of metadata, beside the hub’s own, in whatever state the task is', () => {
    const task = new FakeTask();
    const own = { 'urn:a2a-hub:routing:v1': { tags: ['x'.repeat(100_000)] } };
    const most = 'x'.repeat(64 * 1024 - 2 * 32 - 'why'.length);
    const cancel = (why: string) => () =>
      decideCancelRequest(task.aggregate, NOW, { why, ...own }).record?.cancelMetadata;
    expect(cancel(most)()).toEqual({ why: most });
    const refusal = 'metadata may take at most 64 KiB (its characters, and 32 for each value)';
    expect(cancel(`${most}x`)).toThrow(refusal);
    task.agent(status('completed'));
    expect(cancel(`${most}x`)).toThrow(refusal);
    expect(cancel(most)).toThrow('has ended');
  });

  it('ends at once what no agent works on', () => {
    for (const state of ['queued', 'input-required'] as const) {
      const task = new FakeTask({ delegation: { state, owner: null } });
      task.commit(decideCancelRequest(task.aggregate, NOW));
      expect(task.story()).toEqual(['status CANCELED: Canceled by the client.']);
    }
  });

  it('tells the truth when the agent finishes first', () => {
    const task = new FakeTask();
    task.commit(decideCancelRequest(task.aggregate, NOW));
    task.agent(status('completed'));
    expect(task.state).toBe('COMPLETED');
  });

  it('makes the task of several agents canceled once they have ended, whatever was completed', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('completed'), 'a');
    task.commit(decideCancelRequest(task.aggregate, NOW));
    const canceled = { state: 'canceled', reason: null, code: 'CANCELED_BY_CLIENT' } as const;
    task.commit(decideOutcome(task.aggregate, 'd-b', canceled, NOW));
    expect(task.state).toBe('CANCELED');
  });

  it('is why what waits of several ends, not the policy that it breaks', () => {
    const task = new FakeTask({ agents: ['a', 'b', 'c'] });
    task.agent(status('auth'), 'a');
    task.agent(status('input'), 'b');
    task.agent(status('input'), 'c');
    task.change('a', { owner: null });
    task.commit(decideCancelRequest(task.aggregate, NOW));
    const canceled = { state: 'canceled', reason: 'Canceled by the client.' };
    expect(task.aggregate.delegations).toMatchObject([canceled, canceled, canceled]);
    expect(task.state).toBe('CANCELED');
  });

  it.each([
    ['every agent', { require: 'all' }],
    ['a quorum', { require: 'quorum', quorum: 2 }],
    ['the first', { strategy: 'first' }],
    ['best effort', { require: 'best-effort' }],
  ] as const)('takes no agent for canceled on the word of another: %s', (_, of) => {
    const task = new FakeTask({
      plan: [planStep('task', ['a', 'b', 'c'], { strategy: 'all', ...of })],
    });
    task.change('c', { state: 'queued', owner: null });
    task.agent(status('working'), 'a');
    task.agent(status('working'), 'b');
    task.commit(decideCancelRequest(task.aggregate, NOW));
    task.agent(status('canceled', 'canceled by request'), 'a');
    expect(task.delegation('b').state).toBe('working');
    expect(task.state).toBe('WORKING');
    const reason = 'Agent b did not take the cancel: it refused the request; canceled at the hub.';
    const refused = {
      state: 'canceled',
      reason,
      code: 'CANCELED_BY_CLIENT',
      agentNotified: true,
    } as const;
    task.commit(decideOutcome(task.aggregate, 'd-b', refused, NOW));
    expect(task.story().at(-1)).toBe(
      'status CANCELED: 0 of 3 agents completed. Missing: Agent a was canceled (canceled by request); ' +
        `Agent b was canceled (${reason.slice(0, -1)}); Agent c was canceled (Canceled by the client).`,
    );
  });

  it('shows no question again that nobody can answer any more', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('auth', 'log in'), 'a');
    task.agent(status('input', 'which?'), 'b');
    const shown = task.story();
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.delegation('a').state).toBe('auth-required');
    expect(task.story()).toEqual(shown);
  });

  it('is refused on a terminal task', () => {
    const task = new FakeTask();
    task.agent(status('completed'));
    expect(() => decideCancelRequest(task.aggregate, NOW)).toThrow(
      expect.objectContaining({ reason: 'TASK_NOT_CANCELABLE' }),
    );
  });
});

describe('a follow-up', () => {
  it('goes to the delegation that waits, with the hub ids filled in, and the task works again', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    followUp(task, 'this one');
    expect(task.story()).toEqual([
      'status INPUT_REQUIRED: which?',
      'message this one',
      'status WORKING',
    ]);
    expect(task.delegation()).toMatchObject({
      state: 'queued',
      messageSeq: 4,
      downstreamTaskId: 'down-task',
      owner: null,
      reason: null,
    });
    expect(task.task.history.map((each) => each.messageId)).toEqual([
      'm1',
      'msg-which?',
      'msg-this one',
    ]);
    expect(task.task.history.at(-1)).toMatchObject({ taskId: 'task', contextId: 'context' });
  });

  it('is not answered by the old question in the first snapshot after it', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    followUp(task);
    task.claim();
    task.agent(snapshot({ status: statusOf('input', 'which?') }));
    expect(task.state).toBe('WORKING');
    expect(task.delegation().state).toBe('working');
    task.agent(status('completed'));
    expect(task.state).toBe('COMPLETED');
  });

  it('may be answered by the same question when the agent asks it again', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    followUp(task);
    task.claim();
    task.agent(status('input', 'which?'));
    expect(task.state).toBe('INPUT_REQUIRED');
  });

  it('follows the agent that opens another task for it', () => {
    const task = new FakeTask({ delegation: { state: 'working', downstreamTaskId: 'first' } });
    task.agent(status('input', 'which?', 'first'));
    followUp(task);
    task.claim();
    task.agent(snapshot({ id: 'second', status: statusOf('submitted') }));
    task.agent(status('completed', 'done', 'second'));
    expect(task.delegation()).toMatchObject({ state: 'completed', downstreamTaskId: 'second' });
  });

  it('goes to the working delegation when none waits', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    followUp(task);
    expect(task.story()).toEqual(['status WORKING', 'message more']);
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 4 });
  });

  it('waits until the agent has taken the message before it', () => {
    const task = new FakeTask();
    followUp(task, 'second');
    followUp(task, 'third');
    expect(task.delegation()).toMatchObject({ state: 'sending', messageSeq: 2 });
    task.agent(status('working', 'on the first'));
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 3, owner: null });
    task.claim().agent(status('input', 'which?'));
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 4 });
    expect(task.state).toBe('WORKING');
    expect(task.delegation().progress.pending).toBeUndefined();
    task.claim().agent(status('completed'));
    expect(task.state).toBe('COMPLETED');
  });

  it('is of no use after a direct reply', () => {
    const task = new FakeTask({ allowReply: true });
    followUp(task);
    task.agent(reply('42'));
    expect(task.state).toBe('COMPLETED');
  });

  it('needs replyTo when several wait, by delegation or by agent', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('input', 'one?'), 'a');
    task.agent(status('input', 'two?'), 'b');
    expect(() => followUp(task)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        message: expect.stringContaining('a, b'),
      }),
    );
    expect(() => followUp(task, 'x', 'c')).toThrow(
      expect.objectContaining({ reason: 'INVALID_PARAMS' }),
    );
    followUp(task, 'for b', 'b');
    expect(task.delegation('a').state).toBe('input-required');
    expect(task.delegation('b').state).toBe('queued');
    expect(task.story().at(-1)).toBe('status WORKING: Agent a waits for input.');
    followUp(task, 'for a', 'd-a');
    expect(task.delegation('a').state).toBe('queued');
  });

  it('is refused by the name the client gave `replyTo`', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    const directive = readDirective({ [ROUTING_EXTENSION_URI]: { replyTo: 'nobody' } }, undefined);
    expect(() => decideFollowUp(task.aggregate, clientMessage('x'), directive, NOW)).toThrow(
      'message.metadata["urn:a2a-hub:routing:v1"].replyTo no open delegation',
    );
  });

  it.each([
    ['step', 'task', 'a, b'],
    ['agent', 'a', 'd-a, d-b'],
  ])(
    'is not given to the first when replyTo names a %s of which several wait',
    (what, name, who) => {
      const task = new FakeTask({ agents: ['a', 'b'] });
      if (what === 'agent') task.change('b', { agentId: 'a' });
      expect(() => followUp(task, 'hurry', name)).toThrow('several agents work');
      task.agent(status('input', 'your password?'), 'a');
      followUp(task, 'for the one that waits', name);
      task.claim('a').agent(status('input', 'your password?'), 'a');
      task.agent(status('input', 'your colour?'), 'b');
      expect(() => followUp(task, 'secret', name)).toThrow(
        expect.objectContaining({
          reason: 'INVALID_PARAMS',
          message: expect.stringContaining(who),
        }),
      );
      followUp(task, 'blue', 'd-b');
      expect(task.delegation('b').state).toBe('queued');
    },
  );

  it('can name the step that is answered, but none whose turn has not come', () => {
    const plan = [
      planStep('left', ['a']),
      planStep('right', ['b']),
      planStep('end', ['c'], { after: [{ step: 'left', outcome: 'completed' }] }),
    ];
    const task = new FakeTask({ plan });
    task.agent(status('input', 'one?'), 'a');
    task.agent(status('input', 'two?'), 'b');
    expect(() => followUp(task, 'x', 'end')).toThrow('no open delegation, agent or step "end"');
    followUp(task, 'for b', 'right');
    expect(task.delegation('b').state).toBe('queued');
  });

  it('is refused when the task has used up its calls, those promised included', () => {
    const task = new FakeTask({ maxCalls: 2 });
    task.agent(status('input', 'which one?'));
    followUp(task, 'this one');
    expect(() => followUp(task, 'no, that one')).toThrow(
      expect.objectContaining({
        reason: 'UNSUPPORTED_OPERATION',
        message: expect.stringContaining('(2) are used up'),
      }),
    );
    expect(task.delegation().state).toBe('queued');
  });

  it('asks the other question again once the first is dealt with', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('input', 'one?'), 'a');
    task.agent(status('input', 'two?'), 'b');
    followUp(task, 'for b', 'b');
    task.claim('b').agent(status('completed'), 'b');
    expect(task.story().at(-1)).toBe('status INPUT_REQUIRED: Agent a: one?');
  });

  it('is refused on a terminal task, on one being canceled and in another context', () => {
    const task = new FakeTask();
    const elsewhere = { ...clientMessage('x'), contextId: 'another' };
    expect(() => decideFollowUp(task.aggregate, elsewhere, {}, NOW)).toThrow(
      expect.objectContaining({ reason: 'INVALID_PARAMS' }),
    );
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(() => followUp(task)).toThrow(
      expect.objectContaining({ reason: 'UNSUPPORTED_OPERATION' }),
    );
    task.agent(status('completed'));
    expect(() => followUp(task)).toThrow(
      expect.objectContaining({ reason: 'UNSUPPORTED_OPERATION' }),
    );
  });
});

describe('a task that the hub fails', () => {
  it('ends with its delegations, once', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('completed'), 'a');
    task.commit(decideTaskFailed(task.aggregate, why('The database refused it.'), NOW));
    expect(task.story().at(-1)).toBe('status FAILED: The database refused it.');
    expect(task.delegation('a').state).toBe('completed');
    expect(task.delegation('b').state).toBe('failed');
    expect(decideTaskFailed(task.aggregate, why('again'), NOW)).toBe(NO_CHANGE);
  });
});
