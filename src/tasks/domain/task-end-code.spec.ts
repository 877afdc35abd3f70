import { describe, expect, it } from '@jest/globals';
import { END_CODES, type EndCode } from '../task.js';
import { decideDeadline } from './decide-deadline.js';
import { decideOutcome } from './delegation-decisions.js';
import type { EndState } from './delegation-state.js';
import { decideEndAtOnce } from './end-at-once.js';
import { status } from './fake-events.js';
import { after, CHAIN } from './fake-plans.js';
import { FakeTask, NOW, planStep, why } from './fake-task.js';
import { OWNER_DELETED } from './operator-actions.js';
import { isAgentsFault, taskEndCode } from './task-end-code.js';
import { decideCancelRequest, decideTaskFailed } from './task-decisions.js';

const endCodeOf = ({ aggregate: { record, delegations } }: FakeTask): EndCode | null =>
  taskEndCode(record, delegations);

/** Ends the delegation by decision of the hub. */
const end = (
  task: FakeTask,
  agentId: string,
  code: EndCode,
  state: EndState = 'failed',
  now = NOW,
): FakeTask => {
  const outcome = { state, reason: code, code };
  return task.commit(decideOutcome(task.aggregate, `d-${agentId}`, outcome, now), now);
};

const later = (ms: number): Date => new Date(NOW.getTime() + ms);

describe('why a task has not completed', () => {
  it('is not said of one that has', () => {
    const task = new FakeTask();
    task.agent(status('completed'));
    expect(endCodeOf(task)).toBeNull();
  });

  it('is not said of a completed one of whose agents one has failed', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('failed'), 'a');
    task.agent(status('completed'), 'b');
    expect(task.state).toBe('COMPLETED');
    expect(task.delegation('a').progress.endCode).toBe('AGENT_FAILED');
    expect(endCodeOf(task)).toBeNull();
  });

  it.each([
    ['failed', 'AGENT_FAILED'],
    ['rejected', 'AGENT_REJECTED'],
    ['canceled', 'AGENT_CANCELED'],
  ] as const)('is the end that its only agent gave: %s', (state, code) => {
    const task = new FakeTask();
    task.agent(status(state));
    expect(endCodeOf(task)).toBe(code);
  });

  it('is the failure of the agent, not what followed from it for the others', () => {
    const task = new FakeTask({ agents: ['a', 'b', 'c'] });
    end(task, 'b', 'AGENT_UNREACHABLE');
    expect(task.state).toBe('FAILED');
    expect(['a', 'b', 'c'].map((each) => task.delegation(each).progress.endCode)).toEqual([
      'STEP_FAILED',
      'AGENT_UNREACHABLE',
      'STEP_FAILED',
    ]);
    expect(endCodeOf(task)).toBe('AGENT_UNREACHABLE');
  });

  it('is the last failure of those without which it could not complete any more', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    end(task, 'b', 'AGENT_UNREACHABLE', 'failed', later(1));
    end(task, 'a', 'AGENT_BUSY', 'failed', later(2));
    expect(task.state).toBe('FAILED');
    expect(endCodeOf(task)).toBe('AGENT_BUSY');
  });

  it('is of a step that was needed, though an optional one failed after it', () => {
    const task = new FakeTask({
      plan: [
        planStep('needed', ['a']),
        planStep('instead', ['b'], { after: after('needed', 'failed'), isOptional: true }),
      ],
    });
    end(task, 'a', 'AGENT_TIMEOUT', 'failed', later(1));
    end(task, 'b', 'AGENT_BUSY', 'failed', later(2));
    expect(task.state).toBe('FAILED');
    expect(endCodeOf(task)).toBe('AGENT_TIMEOUT');
  });

  it('is of the step that failed, not of those that could not begin', () => {
    const task = new FakeTask({ plan: CHAIN });
    end(task, 'a', 'INVALID_AGENT_RESPONSE');
    expect(task.delegation('b').progress.endCode).toBe('STEP_SKIPPED');
    expect(endCodeOf(task)).toBe('INVALID_AGENT_RESPONSE');
  });

  it('is the request that canceled it, whatever its agents ended by before', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    task.agent(status('failed'), 'a');
    task.commit(decideCancelRequest(task.aggregate, NOW));
    task.agent(status('canceled'), 'b');
    expect(task.state).toBe('CANCELED');
    expect(task.delegation('a').progress.endCode).toBe('AGENT_FAILED');
    expect(task.delegation('b').progress.endCode).toBe('CANCELED_BY_CLIENT');
    expect(endCodeOf(task)).toBe('CANCELED_BY_CLIENT');
  });

  it('says who requested the cancel in place of the client', () => {
    const task = new FakeTask();
    const operator = { principalId: 'op', reason: 'late' };
    task.commit(decideCancelRequest(task.aggregate, NOW, undefined, operator));
    task.agent(status('canceled'));
    expect(endCodeOf(task)).toBe('CANCELED_BY_OPERATOR');
  });

  it('is the deletion of the data of its owner', () => {
    const task = new FakeTask();
    task.commit(decideEndAtOnce(task.aggregate, NOW, OWNER_DELETED));
    expect(endCodeOf(task)).toBe('OWNER_DELETED');
    const asked = new FakeTask();
    asked.commit(decideCancelRequest(asked.aggregate, NOW, undefined, 'owner-deleted'));
    asked.agent(status('canceled'));
    expect(endCodeOf(asked)).toBe('OWNER_DELETED');
  });

  it('tells the deadline of the task from the client that did not answer', () => {
    const late = new FakeTask({ deadlineAt: later(1000) });
    late.commit(decideDeadline(late.aggregate, later(1000)), later(1000));
    expect(endCodeOf(late)).toBe('DEADLINE_EXCEEDED');
    const silent = new FakeTask({ delegation: { deadlineAt: later(500) } });
    silent.agent(status('input'));
    silent.commit(decideDeadline(silent.aggregate, later(500)), later(500));
    expect(endCodeOf(silent)).toBe('CLIENT_TIMEOUT');
  });

  it('is the trouble of the hub', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    const tooLarge = { ...why('too large'), code: 'TASK_TOO_LARGE' } as const;
    task.commit(decideTaskFailed(task.aggregate, tooLarge, NOW));
    expect(endCodeOf(task)).toBe('TASK_TOO_LARGE');
  });

  it('is not known of one that a hub of an earlier version has ended', () => {
    const task = new FakeTask();
    task.agent(status('failed'));
    task.change('a', { progress: { artifacts: [] } });
    expect(endCodeOf(task)).toBeNull();
  });

  it('is not that of an optional step, where such a hub has ended the one that was needed', () => {
    const task = new FakeTask({
      plan: [
        planStep('needed', ['a']),
        planStep('instead', ['b'], { after: after('needed', 'failed'), isOptional: true }),
      ],
    });
    end(task, 'a', 'AGENT_TIMEOUT', 'failed', later(1));
    task.change('a', { progress: { artifacts: [] } });
    end(task, 'b', 'AGENT_BUSY', 'failed', later(2));
    expect(endCodeOf(task)).toBeNull();
  });
});

it('blames the agent for what it did itself, not for what its client, an operator or the hub did', () => {
  expect(END_CODES.filter((endCode) => isAgentsFault({ endCode }))).toEqual([
    'AGENT_FAILED',
    'AGENT_UNREACHABLE',
    'AGENT_TIMEOUT',
    'AGENT_LOST_TASK',
    'INVALID_AGENT_RESPONSE',
    'RESPONSE_TOO_LARGE',
  ]);
  expect(isAgentsFault({})).toBe(false);
});

it.each([
  ['an internal error', 'AGENT_REFUSED', 'rejected', { code: -32603, httpStatus: 200 }, true],
  ['HTTP 500', 'AGENT_REFUSED', 'rejected', { httpStatus: 500 }, true],
  ['HTTP 503', 'AGENT_BUSY', 'rejected', { httpStatus: 503 }, true],
  ['HTTP 429', 'AGENT_BUSY', 'rejected', { httpStatus: 429 }, true],
  ['invalid params', 'AGENT_REFUSED', 'rejected', { code: -32602, httpStatus: 200 }, false],
  ['a message that is too large', 'AGENT_REFUSED', 'rejected', { httpStatus: 413 }, false],
  ['an unknown task', 'AGENT_REFUSED', 'not-found', { code: -32001 }, false],
  [
    'a limit of a hub for this one',
    'AGENT_BUSY',
    'rejected',
    { code: -31429, httpStatus: 429 },
    false,
  ],
  ['invalid params before its own failure', 'AGENT_FAILED', 'rejected', { code: -32602 }, true],
] as const)(
  'of refusals blames the agent as the health of its calls does: %s',
  (_, endCode, kind, detail, is) => {
    const trouble = { agentId: 'a', at: 1, kind, text: 'x', ...detail };
    expect(isAgentsFault({ endCode, trouble })).toBe(is);
  },
);
