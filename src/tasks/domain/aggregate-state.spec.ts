import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../protocol/a2a.js';
import type { Delegation, DelegationState } from '../task.js';
import { aggregateState, policyBroken, type AggregateCircumstances } from './aggregate-state.js';
import { FakeTask } from './fake-task.js';

const ALL = { strategy: 'all', require: 'all' } as const;
const BEST_EFFORT = { strategy: 'all', require: 'best-effort' } as const;

function delegations(...states: DelegationState[]): Delegation[] {
  const template = new FakeTask().delegation();
  return states.map((state, position) => ({
    ...template,
    state,
    position,
    agentName: `Agent ${position + 1}`,
  }));
}

function stateOf(
  states: DelegationState[],
  route: Parameters<typeof aggregateState>[1],
  circumstances?: AggregateCircumstances,
): string {
  const { state } = aggregateState(delegations(...states), route, circumstances);
  return TaskState[state].replace('TASK_STATE_', '');
}

describe('the state of a task of several agents', () => {
  it.each<[DelegationState[], string]>([
    [['queued', 'completed'], 'WORKING'],
    [['sending', 'failed'], 'WORKING'],
    [['working', 'input-required'], 'WORKING'],
    [['input-required', 'completed'], 'INPUT_REQUIRED'],
    [['input-required', 'auth-required'], 'AUTH_REQUIRED'],
    [['completed', 'completed'], 'COMPLETED'],
    [['rejected', 'rejected'], 'REJECTED'],
    [['canceled', 'canceled'], 'CANCELED'],
    [['canceled', 'rejected'], 'FAILED'],
    [['failed', 'failed'], 'FAILED'],
    [[], 'FAILED'],
  ])('of %j is %s, whatever is required', (states, expected) => {
    expect(stateOf(states, ALL)).toBe(expected);
    expect(stateOf(states, BEST_EFFORT)).toBe(expected);
  });

  it('of some completed and some not depends on what is required', () => {
    expect(stateOf(['completed', 'failed'], ALL)).toBe('FAILED');
    expect(stateOf(['completed', 'failed'], BEST_EFFORT)).toBe('COMPLETED');
  });

  it('is canceled when the client asked for it and some agent was', () => {
    const cancelRequested = true;
    expect(stateOf(['completed', 'canceled'], BEST_EFFORT, { cancelRequested })).toBe('CANCELED');
    expect(stateOf(['failed', 'canceled'], ALL, { cancelRequested })).toBe('CANCELED');
    expect(stateOf(['completed', 'completed'], ALL, { cancelRequested })).toBe('COMPLETED');
  });

  it('is failed, not canceled, when the hub cut it short', () => {
    expect(stateOf(['canceled', 'canceled'], ALL, { cutShort: true })).toBe('FAILED');
  });

  it('says who waits and who is missing', () => {
    expect(aggregateState(delegations('working', 'auth-required'), ALL).text).toBe(
      'Agent 2 waits for authorization.',
    );
    const [done, missing] = delegations('completed', 'rejected');
    const both = [done!, { ...missing!, reason: 'Not my job.' }];
    expect(aggregateState(both, ALL).text).toBe(
      '1 of 2 agents completed. Missing: Agent 2 rejected the task (Not my job).',
    );
  });
});

describe('the policy', () => {
  it('is broken by the first that does not complete when all are required', () => {
    expect(policyBroken(delegations('working', 'completed'), ALL)).toBeUndefined();
    expect(policyBroken(delegations('working', 'rejected'), ALL)).toContain('Agent 2');
  });

  it('is never broken before the end when one is enough, nor with one agent', () => {
    expect(policyBroken(delegations('working', 'failed'), BEST_EFFORT)).toBeUndefined();
    expect(policyBroken(delegations('failed'), { ...ALL, strategy: 'one' })).toBeUndefined();
  });
});
