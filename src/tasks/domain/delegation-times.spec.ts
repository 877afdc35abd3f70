import { describe, expect, it } from '@jest/globals';
import type { Delegation } from '../task.js';
import { decideFailover } from './delegation-decisions.js';
import { patched } from './delegation-times.js';
import { FakeTask, NOW, why } from './fake-task.js';

const LATER = new Date(NOW.getTime() + 1000);
const claimed = new FakeTask().delegation();
const change = (before: Delegation, patch: Partial<Delegation>): Delegation =>
  patched(before, { id: before.id, ...patch }, LATER);

describe('the times of a delegation', () => {
  it('are those of its claim, its first answer and its end', () => {
    const working = change(claimed, { state: 'working', downstreamTaskId: 'down-task' });
    expect(working.progress.times).toEqual({
      sentAt: NOW.getTime(),
      answeredAt: LATER.getTime(),
    });
    const ended = patched(
      working,
      { id: 'd-a', state: 'completed' },
      new Date(NOW.getTime() + 5000),
    );
    expect(ended.progress.times).toEqual({
      sentAt: NOW.getTime(),
      answeredAt: LATER.getTime(),
      endedAt: NOW.getTime() + 5000,
    });
  });

  it('have how often, since when and how long it has waited for the client', () => {
    const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
    const waitsOf = ({ progress }: Delegation): unknown => progress.times?.waits;
    const asking = patched(claimed, { id: 'd-a', state: 'input-required' }, at(1));
    const first = { times: 1, state: 'input-required', since: at(1).getTime(), ms: 0 };
    expect(waitsOf(asking)).toEqual(first);
    // Another question is the same wait.
    const again = patched(asking, { id: 'd-a', progress: { artifacts: [] } }, at(2));
    expect(waitsOf(again)).toEqual(first);
    const queued = patched(again, { id: 'd-a', state: 'queued' }, at(11));
    expect(waitsOf(queued)).toEqual({ ...first, until: at(11).getTime(), ms: 10_000 });
    const second = patched(queued, { id: 'd-a', state: 'auth-required' }, at(20));
    expect(waitsOf(second)).toEqual({
      ...{ times: 2, state: 'auth-required', since: at(20).getTime() },
      ms: 10_000,
    });
    const ended = patched(second, { id: 'd-a', state: 'canceled' }, at(25));
    expect(waitsOf(ended)).toMatchObject({ until: at(25).getTime(), ms: 15_000 });
    expect(waitsOf(change(claimed, { state: 'working' }))).toBeUndefined();
  });

  it('have no answer when the agent gave none', () => {
    const failed = change(claimed, { state: 'failed', reason: 'It gave no answer.' });
    expect(failed.progress.times).toEqual({ sentAt: NOW.getTime(), endedAt: LATER.getTime() });
  });

  it('are not those of a claim that was given up before anything was sent', () => {
    const requeue = change(claimed, { state: 'queued', calls: 0, owner: null });
    expect(requeue.progress.times?.sentAt).toBeUndefined();
  });

  it('are not those of a call that was never made', () => {
    const fallbacks = [{ agentId: 'b' }];
    const passedOver = (of: Partial<Delegation>): Delegation => {
      const task = new FakeTask({ delegation: of });
      const change = decideFailover(
        task.aggregate,
        'd-a',
        why('is down'),
        LATER,
        (id) => id,
        false,
      );
      return task.commit(change, LATER).delegation();
    };
    expect(passedOver({ fallbacks }).progress).toMatchObject({
      times: {},
      attempts: [{ agentId: 'a' }],
    });
    expect(passedOver({ fallbacks }).progress.times?.sentAt).toBeUndefined();
    expect(passedOver({ fallbacks }).progress.attempts?.[0]).not.toHaveProperty('calledAt');
    const failed = passedOver({});
    expect(failed).toMatchObject({ state: 'failed', calls: 0 });
    expect(failed.progress.times).toEqual({ endedAt: LATER.getTime() });
  });

  it('are none of a step that never began', () => {
    const skipped = change({ ...claimed, state: 'planned' }, { state: 'skipped' });
    expect(skipped.progress.times).toEqual({ endedAt: LATER.getTime() });
  });

  it('survive a decision that writes the progress anew', () => {
    const working = change(claimed, { state: 'working' });
    const artifacts = [{ theirs: 'theirs', id: 'own', closed: false }];
    const next = change(working, { progress: { artifacts } });
    expect(next.progress).toMatchObject({
      artifacts,
      times: working.progress.times,
    });
  });

  it('cost nothing when nothing has happened', () => {
    const working = change(claimed, { state: 'working' });
    expect(change(working, { reason: 'still at it' }).progress).toBe(working.progress);
  });
});

describe('the attempts of a delegation', () => {
  it('name each agent that did not take the message, in order, and why', () => {
    const fallbacks = [{ agentId: 'b', skillId: 's' }, { agentId: 'c' }];
    const task = new FakeTask({ delegation: { fallbacks } });
    task.commit(decideFailover(task.aggregate, 'd-a', why('Agent a refused.'), LATER));
    task.change('a', { state: 'sending' }, LATER);
    task.commit(
      decideFailover(task.aggregate, 'd-a', why('b is gone.'), LATER, (id) => `Agent ${id}`),
    );
    expect(task.delegation().agentId).toBe('c');
    expect(task.delegation().progress.attempts).toEqual([
      {
        agentId: 'a',
        agentName: 'Agent a',
        calledAt: NOW.getTime(),
        endedAt: LATER.getTime(),
        why: 'Agent a refused.',
      },
      {
        agentId: 'b',
        agentName: 'b',
        skillId: 's',
        calledAt: LATER.getTime(),
        endedAt: LATER.getTime(),
        why: 'b is gone.',
      },
    ]);
  });

  it('survive what comes after them', () => {
    const task = new FakeTask({ delegation: { fallbacks: [{ agentId: 'b' }] } });
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), LATER));
    const failedOver = task.delegation();
    const next = change(failedOver, { progress: { artifacts: [] } });
    expect(next.progress.attempts).toEqual(failedOver.progress.attempts);
  });
});
