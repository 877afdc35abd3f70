import { describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { NO_CHANGE, type TaskChange } from '../task.js';
import {
  decideAwaitAuthorization,
  decideConsented,
  decideConsentFailed,
} from './decide-await-authorization.js';
import { decideDeadline } from './decide-deadline.js';
import { decideOutcome } from './delegation-decisions.js';
import { isMoved } from './delegation-state.js';
import { status, userMessage } from './fake-events.js';
import { FakeTask, type FakeTaskOptions, NOW } from './fake-task.js';
import { decideCancelRequest, decideFollowUp } from './task-decisions.js';

const WHY = 'Agent a was not called: it needs an access token.';

const decide = (task: FakeTask, agent = 'a'): TaskChange =>
  decideAwaitAuthorization(task.aggregate, `d-${agent}`, 'caller-token', WHY, NOW);
const waiting = (options: FakeTaskOptions = {}): FakeTask => {
  const sending = { state: 'sending', owner: 'runner', calls: 1 } as const;
  const task = new FakeTask({ ...options, delegation: { ...sending, ...options.delegation } });
  return task.commit(decide(task));
};
const answer = (task: FakeTask, text = 'more', replyTo?: string): FakeTask => {
  const message = { ...userMessage(`msg-${text}`, text), taskId: '', contextId: '' };
  return task.commit(decideFollowUp(task.aggregate, message, { replyTo }, NOW));
};

describe('a message that cannot be sent before its client has authorized it', () => {
  it('waits without a runner, is no call, and the client reads why', () => {
    const before = new FakeTask({ delegation: { state: 'sending', owner: 'runner', calls: 1 } });
    const task = waiting();
    expect(task.delegation()).toMatchObject({
      ...{ state: 'auth-required', calls: 0, owner: null, leaseUntil: null },
      ...{ reason: WHY, progress: { awaits: 'caller-token' } },
    });
    expect(task.delegation().progress.times?.answeredAt).toBeUndefined();
    expect(task.delegation().progress.times?.sentAt).toBeUndefined();
    expect(isMoved(before.delegation(), task.delegation())).toBe(true);
    expect(task.story()).toEqual([`status AUTH_REQUIRED: ${WHY}`]);
    expect(task.task.status?.message?.metadata?.[ROUTING_EXTENSION_URI]).toMatchObject({
      ...{ agentId: 'a', delegationId: 'd-a', state: 'auth-required', awaits: 'caller-token' },
    });
  });

  it('is sent before the answer, which comes after it', () => {
    const task = waiting({ delegation: { messageSeq: 2 } });
    answer(task);
    expect(task.delegation()).toMatchObject({
      ...{ state: 'queued', messageSeq: 2, reason: null, owner: null },
      progress: { pending: [task.aggregate.record.seq - 1] },
    });
    expect(task.delegation().progress.awaits).toBeUndefined();
    expect(task.state).toBe('WORKING');
    task.claim().agent(status('working'));
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 4 });
  });

  it('keeps the answers in their order when it has to wait again', () => {
    const task = waiting({ delegation: { messageSeq: 2 } });
    answer(task, 'one');
    task.change('a', { state: 'sending', calls: 1 }).commit(decide(task));
    expect(task.state).toBe('AUTH_REQUIRED');
    answer(task, 'two');
    const { messageSeq, progress } = task.delegation();
    expect([messageSeq, progress.pending?.length]).toEqual([2, 2]);
    expect(progress.pending?.[0]).toBeLessThan(progress.pending![1]!);
  });

  it('is canceled at once, without its agent', () => {
    const task = waiting();
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.delegation()).toMatchObject({ state: 'canceled', cancelPending: false });
    expect(task.state).toBe('CANCELED');
  });

  it('ends a task that is being canceled', () => {
    const task = new FakeTask({ delegation: { state: 'sending', owner: 'runner', calls: 1 } });
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.state).not.toBe('CANCELED');
    task.commit(decide(task));
    expect(task.delegation()).toMatchObject({ state: 'canceled', calls: 0, cancelPending: false });
    expect(task.state).toBe('CANCELED');
  });

  it('fails when its time is over', () => {
    const task = waiting({ delegation: { deadlineAt: NOW } });
    task.commit(decideDeadline(task.aggregate, NOW));
    expect(task.story().at(-1)).toBe(
      'status FAILED: Agent a waited for the client until its time was over.',
    );
    expect(task.delegation().cancelPending).toBe(false);
  });

  it('still has its agent canceled when that works on an earlier message', () => {
    const task = waiting({ delegation: { downstreamTaskId: 't1' } });
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.delegation()).toMatchObject({ state: 'canceled', cancelPending: true });
  });

  it('says so among others that work, and again as the question when they are done', () => {
    const task = waiting({ agents: ['a', 'b'], require: 'best-effort' });
    expect(task.story()).toEqual([`status WORKING: ${WHY}`]);
    const done = { state: 'completed', reason: null, code: null } as const;
    task.commit(decideOutcome(task.aggregate, 'd-b', done, NOW));
    expect(task.story().at(-1)).toBe(`status AUTH_REQUIRED: ${WHY}`);
    expect(task.task.status?.message?.metadata?.[ROUTING_EXTENSION_URI]).toMatchObject({
      awaits: 'caller-token',
      waiting: [{ agentId: 'a', state: 'auth-required', awaits: 'caller-token' }],
    });
    answer(task, 'go', 'a');
    expect(task.delegation()).toMatchObject({ state: 'queued' });
    expect(task.state).toBe('WORKING');
  });

  it('changes nothing of what is not being sent', () => {
    for (const state of ['queued', 'working', 'failed'] as const) {
      expect(decide(new FakeTask({ delegation: { state } }))).toBe(NO_CHANGE);
    }
  });
});

describe('a message that cannot be sent before the owner of its task has consented', () => {
  const LINK = 'https://hub.example/oauth/consent/x';
  const AWAITS = { type: 'consent', url: LINK, expiresAt: '2026-01-01T00:10:00.000Z' } as const;
  const waitingFor = (options: FakeTaskOptions = {}): FakeTask => {
    const sending = { state: 'sending', owner: 'runner', calls: 1 } as const;
    const task = new FakeTask({ ...options, delegation: { ...sending, ...options.delegation } });
    return task.commit(decideAwaitAuthorization(task.aggregate, 'd-a', AWAITS, WHY, NOW));
  };

  it('tells where, to people and to programs, and operators only why', () => {
    const task = waitingFor();
    expect(task.story().at(-1)).toContain(
      `${WHY} Open ${LINK} in a browser until ${AWAITS.expiresAt}`,
    );
    expect(task.delegation()).toMatchObject({ state: 'auth-required', reason: WHY, calls: 0 });
    expect(task.task.status?.message?.metadata?.[ROUTING_EXTENSION_URI]).toMatchObject({
      awaits: AWAITS,
    });
  });

  it('is sent once that is there, and only once', () => {
    const task = waitingFor({ delegation: { messageSeq: 2 } });
    task.commit(decideConsented(task.aggregate, 'd-a', NOW));
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 2, reason: null });
    expect(task.delegation().progress.awaits).toBeUndefined();
    expect(task.state).toBe('WORKING');
    expect(decideConsented(task.aggregate, 'd-a', NOW)).toBe(NO_CHANGE);
    expect(decideConsentFailed(task.aggregate, 'd-a', 'No.', NOW)).toBe(NO_CHANGE);
  });

  it('says why there is none, with the link, and waits on', () => {
    const task = waitingFor();
    task.commit(decideConsentFailed(task.aggregate, 'd-a', 'The consent was denied.', NOW));
    expect(task.state).toBe('AUTH_REQUIRED');
    expect(task.story().at(-1)).toMatch(/The consent was denied\. Open https:\S+consent\/x /);
    task.commit(decideConsented(task.aggregate, 'd-a', NOW));
    expect(task.state).toBe('WORKING');
  });

  it('says so for one of several agents, whose question goes when it is answered', () => {
    const task = waitingFor({ agents: ['a', 'b'], require: 'best-effort' });
    const done = { state: 'completed', reason: null, code: null } as const;
    task.commit(decideOutcome(task.aggregate, 'd-b', done, NOW));
    expect(task.story().at(-1)).toContain(LINK);
    task.commit(decideConsentFailed(task.aggregate, 'd-a', 'Denied.', NOW));
    expect(task.story().at(-1)).toContain('Denied. Open');
    task.commit(decideConsented(task.aggregate, 'd-a', NOW));
    expect(task.state).toBe('WORKING');
  });

  it('is not sent when the task is canceled, has ended, or waits for something else', () => {
    const canceled = waitingFor();
    canceled.commit(decideCancelRequest(canceled.aggregate, NOW));
    expect(canceled.state).toBe('CANCELED');
    expect(decideConsented(canceled.aggregate, 'd-a', NOW)).toBe(NO_CHANGE);
    expect(decideConsented(waiting().aggregate, 'd-a', NOW)).toBe(NO_CHANGE);
    const working = new FakeTask({ delegation: { state: 'working' } });
    expect(decideConsented(working.aggregate, 'd-a', NOW)).toBe(NO_CHANGE);
  });

  it('is asked for by a further message, which comes after it', () => {
    const task = waitingFor({ delegation: { messageSeq: 2 } });
    answer(task);
    expect(task.delegation()).toMatchObject({ state: 'queued', messageSeq: 2 });
    expect(task.delegation().progress.awaits).toBeUndefined();
  });
});
