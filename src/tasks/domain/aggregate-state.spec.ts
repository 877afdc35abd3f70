import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../protocol/a2a.js';
import type { Plan, PlanStep } from '../../routing/index.js';
import type { Delegation, DelegationState } from '../task.js';
import { aggregateState, type AggregateCircumstances } from './aggregate-state.js';
import { FakeTask, planStep } from './fake-task.js';

type Policy = Partial<PlanStep>;
const ALL: Policy = { strategy: 'all', require: 'all' };
const BEST_EFFORT: Policy = { strategy: 'all', require: 'best-effort' };
const ANY: Policy = { strategy: 'all', require: 'any' };
const FIRST: Policy = { strategy: 'first' };
const QUORUM: Policy = { strategy: 'all', require: 'quorum', quorum: 2 };

function delegations(states: readonly DelegationState[], step = 0): Delegation[] {
  const template = new FakeTask().delegation();
  return states.map((state, position) => ({
    ...template,
    state,
    step,
    position,
    agentName: `Agent ${position + 1}`,
  }));
}

function nameOf(state: TaskState): string {
  return TaskState[state].replace('TASK_STATE_', '');
}

function stateOf(
  states: DelegationState[],
  policy: Policy,
  circumstances?: AggregateCircumstances,
): string {
  const plan = [planStep('task', ['a', 'b', 'c'], policy)];
  return nameOf(aggregateState(plan, delegations(states), circumstances).state);
}

describe('the state of a task of one step', () => {
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
    for (const policy of [ALL, BEST_EFFORT, ANY, FIRST, QUORUM]) {
      expect(stateOf(states, policy)).toBe(expected);
    }
  });

  it('of some completed and some not depends on what is required', () => {
    expect(stateOf(['completed', 'failed'], ALL)).toBe('FAILED');
    expect(stateOf(['completed', 'failed'], BEST_EFFORT)).toBe('COMPLETED');
    expect(stateOf(['completed', 'canceled'], ANY)).toBe('COMPLETED');
    expect(stateOf(['completed', 'canceled'], FIRST)).toBe('COMPLETED');
    expect(stateOf(['completed', 'failed', 'canceled'], QUORUM)).toBe('FAILED');
    expect(stateOf(['completed', 'failed', 'completed'], QUORUM)).toBe('COMPLETED');
  });

  it('is canceled when the client asked for it and some agent was', () => {
    const cancelRequested = true;
    expect(stateOf(['completed', 'canceled'], BEST_EFFORT, { cancelRequested })).toBe('CANCELED');
    expect(stateOf(['failed', 'canceled'], ALL, { cancelRequested })).toBe('CANCELED');
    expect(stateOf(['completed', 'completed'], ALL, { cancelRequested })).toBe('COMPLETED');
  });

  it('is completed when what the policy needs came before the cancel', () => {
    const cancelRequested = true;
    expect(stateOf(['completed', 'canceled'], ANY, { cancelRequested })).toBe('COMPLETED');
    expect(stateOf(['canceled', 'completed'], FIRST, { cancelRequested })).toBe('COMPLETED');
  });

  it('is failed, not canceled, when the hub cut it short', () => {
    expect(stateOf(['canceled', 'canceled'], ALL, { cutShort: true })).toBe('FAILED');
  });

  it('says who waits and who is missing', () => {
    const plan = [planStep('task', ['a', 'b'])];
    expect(aggregateState(plan, delegations(['working', 'auth-required'])).text).toBe(
      'Agent 2 waits for authorization.',
    );
    const [done, missing] = delegations(['completed', 'rejected']);
    const both = [done!, { ...missing!, reason: 'Not my job.' }];
    expect(aggregateState(plan, both).text).toBe(
      '1 of 2 agents completed. Missing: Agent 2 rejected the task (Not my job).',
    );
  });

  it('misses nobody who was not needed', () => {
    const plan = [planStep('task', ['a', 'b'], FIRST)];
    expect(aggregateState(plan, delegations(['canceled', 'completed'])).text).toBe(
      '1 of 2 agents completed.',
    );
  });
});

describe('the state of a task of several steps', () => {
  const plan: Plan = [
    planStep('draft', ['a'], { isResult: false }),
    planStep('polish', ['b'], { after: [{ step: 'draft', outcome: 'completed' }] }),
  ];
  const of = (
    draft: DelegationState,
    polish: DelegationState,
    steps = plan,
  ): { state: string; text: string } => {
    const all = [...delegations([draft], 0), ...delegations([polish], 1)];
    const { state, text } = aggregateState(steps, all);
    return { state: nameOf(state), text };
  };

  it('is what runs or waits of it, planned steps aside', () => {
    expect(of('working', 'planned').state).toBe('WORKING');
    expect(of('input-required', 'planned').state).toBe('INPUT_REQUIRED');
    expect(of('completed', 'auth-required').state).toBe('AUTH_REQUIRED');
  });

  it('is completed when every step met its policy', () => {
    expect(of('completed', 'completed')).toEqual({
      state: 'COMPLETED',
      text: '2 of 2 agents completed.',
    });
  });

  it('is not completed without a result', () => {
    const optional = plan.map((step) => ({ ...step, isOptional: true }));
    expect(of('completed', 'failed').state).toBe('FAILED');
    expect(of('completed', 'failed', optional).state).toBe('FAILED');
    expect(of('failed', 'completed', optional).state).toBe('COMPLETED');
  });

  it('is what all that were asked ended as, and says which step is missing', () => {
    expect(of('rejected', 'skipped')).toEqual({
      state: 'REJECTED',
      text: '0 of 1 agent completed. Missing: step "draft": Agent 1 rejected the task; step "polish" (it could not begin).',
    });
    expect(of('canceled', 'canceled').state).toBe('CANCELED');
    expect(of('failed', 'skipped').state).toBe('FAILED');
  });
});
