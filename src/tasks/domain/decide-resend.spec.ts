import { describe, expect, it } from '@jest/globals';
import { FakeTask, NOW, type FakeTaskOptions, why } from './fake-task.js';
import { decideFailover } from './delegation-decisions.js';
import { decideResend, isInDoubt, MAX_RESENDS, resendPauseMs } from './decide-resend.js';

const WHY = 'Agent a broke off before it answered.';
const NEXT = [{ agentId: 'b' }];

function onItsWay(options: FakeTaskOptions = {}): FakeTask {
  return new FakeTask(options).change('a', { state: 'sending', owner: 'runner', calls: 1 });
}

function resend(task: FakeTask, agentNotified = true): FakeTask {
  return task.commit(decideResend(task.aggregate, 'd-a', { why: why(WHY), agentNotified }, NOW));
}

describe('a message sent again', () => {
  it('is a call of the task each time, and is given up after a few', () => {
    const task = onItsWay();
    for (let times = 1; times <= MAX_RESENDS; times++) {
      resend(task);
      expect(task.delegation()).toMatchObject({ state: 'sending', calls: 1 + times });
    }
    resend(task);
    expect(task.delegation()).toMatchObject({
      state: 'failed',
      reason: WHY,
      calls: 1 + MAX_RESENDS,
      cancelPending: false,
    });
    expect(task.state).toBe('FAILED');
  });

  it('leaves a cancel pending for an agent that continues its task', () => {
    const task = onItsWay({ delegation: { downstreamTaskId: 'down' } });
    for (let times = 0; times <= MAX_RESENDS; times++) resend(task, false);
    expect(task.delegation()).toMatchObject({ state: 'failed', cancelPending: true });
  });

  it('is not sent beyond the calls that the task may make', () => {
    const task = resend(onItsWay({ maxCalls: 2 }));
    expect(task.delegation()).toMatchObject({ state: 'sending', calls: 2 });
    resend(task);
    expect(task.delegation()).toMatchObject({ state: 'failed', calls: 2 });
    expect(task.delegation().reason).toBe(
      `${WHY} The calls to agents that the task may make (2) are used up.`,
    );
  });

  it('is counted anew for each message of the client', () => {
    const task = onItsWay();
    for (let times = 0; times < MAX_RESENDS; times++) resend(task);
    expect(isInDoubt(task.delegation())).toBe(true);
    task.change('a', { messageSeq: 7 });
    expect(isInDoubt(task.delegation())).toBe(false);
    expect(resend(task).delegation()).toMatchObject({ state: 'sending' });
  });

  it('is nothing once it is answered', () => {
    const task = onItsWay().change('a', { state: 'working' });
    expect(resend(task).delegation()).toMatchObject({ state: 'working', calls: 1 });
  });

  it('waits longer before each time', () => {
    expect([1, 2, 3].map(resendPauseMs)).toEqual([500, 1000, 2000]);
  });

  it('goes to no other agent: a cancel is pending for the one that may have it', () => {
    const task = resend(onItsWay({ delegation: { fallbacks: NEXT } }));
    task.commit(decideFailover(task.aggregate, 'd-a', why('Agent a could not be reached.'), NOW));
    expect(task.delegation()).toMatchObject({
      agentId: 'a',
      state: 'failed',
      reason: 'Agent a could not be reached.',
      cancelPending: true,
    });
  });
});
