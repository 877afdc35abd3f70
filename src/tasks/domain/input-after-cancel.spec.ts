import { describe, expect, it } from '@jest/globals';
import { status } from './fake-events.js';
import { FakeTask, NOW } from './fake-task.js';
import { decideCancelRequest } from './task-decisions.js';

describe('an agent that asks while its task is being canceled', () => {
  it('is canceled, with a cancel pending at the agent: no one could answer it', () => {
    const task = new FakeTask();
    task.agent(status('working'));
    task.commit(decideCancelRequest(task.aggregate, NOW));
    task.agent(status('input', 'which?'));
    expect(task.state).toBe('CANCELED');
    expect(task.delegation()).toMatchObject({ state: 'canceled', cancelPending: true });
    expect(task.story().at(-1)).toBe('status CANCELED: Canceled by the client.');
  });

  it('does not hold up the others', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('working'), 'a');
    task.agent(status('working'), 'b');
    task.commit(decideCancelRequest(task.aggregate, NOW));
    task.agent(status('input', 'which?'), 'a');
    expect(task.delegation('a').state).toBe('canceled');
    expect(task.state).toBe('WORKING');
    task.agent(status('canceled'), 'b');
    expect(task.state).toBe('CANCELED');
  });
});
