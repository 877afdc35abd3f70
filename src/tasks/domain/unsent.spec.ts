import { describe, expect, it } from '@jest/globals';
import { NO_CHANGE } from '../task.js';
import { decideAgentStopped } from './agent-stopped.js';
import { callsLeft } from './call-budget.js';
import { status } from './fake-events.js';
import { FakeTask, NOW } from './fake-task.js';
import { decideCancelRequest } from './task-decisions.js';
import { decideRequeue, decideBreakerWait, decideBreakerNotice, decideSending } from './unsent.js';

/** A task whose only delegation is claimed and held. */
function held(options: ConstructorParameters<typeof FakeTask>[0] = {}): FakeTask {
  const task = new FakeTask(options);
  task.change('a', { state: 'sending', calls: 1, owner: 'runner', leaseUntil: NOW });
  task.commit(decideBreakerWait(task.aggregate, 'd-a'));
  return task;
}

describe('a delegation whose message cannot leave yet', () => {
  it('counts as queued and keeps its owner and its call, until the message leaves', () => {
    const task = held({ maxCalls: 1 });
    expect(task.delegation()).toMatchObject({ state: 'queued', calls: 0, owner: 'runner' });
    expect(callsLeft(task.aggregate.record, task.aggregate.delegations)).toBe(0);
    expect(decideBreakerWait(task.aggregate, 'd-a')).toBe(NO_CHANGE);
    task.commit(decideSending(task.aggregate, 'd-a'));
    expect(task.delegation()).toMatchObject({ state: 'sending', calls: 1, owner: 'runner' });
    expect(decideSending(task.aggregate, 'd-a')).toBe(NO_CHANGE);
  });

  it('says in its task what it waits for, in the state the task is in', () => {
    const why = 'Waiting for a, which rests.';
    const task = held();
    task.commit(decideBreakerNotice(task.aggregate, 'd-a', why, NOW));
    expect(task.state).toBe('SUBMITTED');
    expect(task.task.status?.message?.parts).toMatchObject([{ content: { value: why } }]);
    task.commit(decideSending(task.aggregate, 'd-a'));
    expect(decideBreakerNotice(task.aggregate, 'd-a', why, NOW)).toBe(NO_CHANGE);
  });

  it('is given back once, with the call that was not made', () => {
    const free = { state: 'queued', calls: 0, owner: null, leaseUntil: null };
    const task = held();
    task.commit(decideRequeue(task.aggregate, 'd-a'));
    expect(task.delegation()).toMatchObject(free);
    expect(decideRequeue(task.aggregate, 'd-a')).toBe(NO_CHANGE);
    task.change('a', { state: 'sending', calls: 1, owner: 'runner' });
    task.commit(decideRequeue(task.aggregate, 'd-a'));
    expect(task.delegation()).toMatchObject(free);
    task.change('a', { state: 'sending', calls: 1, owner: 'runner' }).agent(status('working'));
    expect(decideRequeue(task.aggregate, 'd-a')).toBe(NO_CHANGE);
  });

  it('is canceled at once, and its agent need not be told', () => {
    const task = held();
    task.commit(decideCancelRequest(task.aggregate, NOW));
    expect(task.state).toBe('CANCELED');
    expect(task.delegation()).toMatchObject({ cancelPending: false, owner: null });
  });

  it('goes to the next agent when its own is stopped, and is not sent to the first', () => {
    const task = held({ delegation: { fallbacks: [{ agentId: 'b' }] } });
    task.commit(decideAgentStopped(task.aggregate, 'd-a', NOW, (id) => id));
    expect(task.delegation()).toMatchObject({
      agentId: 'b',
      state: 'queued',
      calls: 0,
      owner: null,
    });
    expect(decideSending(task.aggregate, 'd-a')).toBe(NO_CHANGE);
  });
});
