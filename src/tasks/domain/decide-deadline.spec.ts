import { describe, expect, it } from '@jest/globals';
import { NO_CHANGE } from '../task.js';
import { decideDeadline } from './decide-deadline.js';
import { status } from './fake-events.js';
import { FakeTask, NOW, planStep } from './fake-task.js';

const LATER = new Date('2026-01-03T00:00:00Z');

describe('a deadline', () => {
  it('of the task cancels what runs and fails it when every agent was required', () => {
    const task = new FakeTask({ agents: ['a', 'b'], deadlineAt: new Date(NOW.getTime() + 30_000) });
    task.agent(status('completed'), 'a');
    expect(decideDeadline(task.aggregate, NOW)).toBe(NO_CHANGE);
    task.commit(decideDeadline(task.aggregate, LATER));
    expect(task.delegation('b').state).toBe('canceled');
    expect(task.story().at(-1)).toBe(
      'status FAILED: 1 of 2 agents completed. Missing: Agent b was canceled ' +
        "(The task's deadline of 30 s has passed).",
    );
  });

  it('is shown to a tenth of a second', () => {
    const deadlineAt = new Date(NOW.getTime() + 1500);
    const task = new FakeTask({ deadlineAt });
    task.commit(decideDeadline(task.aggregate, deadlineAt));
    expect(task.story()).toEqual(["status FAILED: The task's deadline of 1.5 s has passed."]);
    const step = new FakeTask({ plan: [planStep('task', ['a'], { deadlineMs: 1500 })] });
    step.commit(decideDeadline(step.aggregate, deadlineAt));
    expect(step.story()).toEqual(["status FAILED: The step's deadline of 1.5 s has passed."]);
  });

  it('of the task completes it with what there is when one is enough', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort', deadlineAt: NOW });
    task.agent(status('completed'), 'a');
    task.commit(decideDeadline(task.aggregate, LATER));
    expect(task.state).toBe('COMPLETED');
  });

  it('of the task is a failure, not a cancel, when nobody has completed', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort', deadlineAt: NOW });
    task.commit(decideDeadline(task.aggregate, LATER));
    expect(task.state).toBe('FAILED');
  });

  it('of a delegation fails it, also while it waits for the client', () => {
    const task = new FakeTask();
    task.agent(status('input', 'which?'));
    task.commit(decideDeadline(task.aggregate, LATER));
    expect(task.story().at(-1)).toBe(
      'status FAILED: Agent a waited for the client until its time was over.',
    );
  });
});
