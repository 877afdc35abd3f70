import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideDeadline } from './decide-deadline.js';
import { isEnded } from './delegation-state.js';
import { PLANS, SYNTHESIS } from './fake-plans.js';
import { order, play, script, type Script } from './fake-scripts.js';
import { FakeTask, NOW } from './fake-task.js';
import { decideCancelRequest } from './task-decisions.js';

const AGENTS = ['a', 'b', 'c', 'd', 'e'];

describe('any plan in any interleaving', () => {
  const said = fc.tuple(script, script, script, script, script);
  const plan = fc.constantFrom(...(Object.keys(PLANS) as (keyof typeof PLANS)[]));
  const scriptsOf = (all: readonly Script[]): Record<string, Script> =>
    Object.fromEntries(AGENTS.map((agent, i) => [agent, all[i] ?? []]));

  it('begins no step before its conditions hold, and leaves none planned at the end', () => {
    fc.assert(
      fc.property(said, order, plan, (all, turns, name) => {
        const task = new FakeTask({ plan: PLANS[name] });
        play(task, scriptsOf(all), turns, () => expectTurns(task));
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
        expect(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED']).toContain(task.state);
        expect(task.aggregate.held).toEqual([]);
      }),
    );
  });

  it('gives a chain of steps the same end whoever speaks first', () => {
    fc.assert(
      fc.property(said, order, order, (all, one, other) => {
        const [first, second] = [one, other].map((turns) =>
          play(new FakeTask({ plan: SYNTHESIS }), scriptsOf(all), turns),
        );
        expect(statesOf(first!)).toEqual(statesOf(second!));
      }),
    );
  });

  it('can be canceled at any moment, and nothing begins after that', () => {
    fc.assert(
      fc.property(said, order, fc.nat(12), plan, (all, turns, moment, name) => {
        const task = new FakeTask({ plan: PLANS[name] });
        let left = moment;
        let begun: string[] | undefined;
        play(task, scriptsOf(all), turns, () => {
          if (left-- === 0 && task.aggregate.delegations.some(({ state }) => !isEnded(state))) {
            task.commit(decideCancelRequest(task.aggregate, NOW));
            begun = begunIn(task);
          }
        });
        if (begun) expect(begunIn(task)).toEqual(begun);
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
      }),
    );
  });

  it('has a deadline at which all of it ends', () => {
    const deadlineAt = new Date(NOW.getTime() + 1000);
    fc.assert(
      fc.property(said, order, fc.nat(12), plan, (all, turns, moment, name) => {
        const task = new FakeTask({ plan: PLANS[name], deadlineAt });
        let left = moment;
        play(task, scriptsOf(all), turns, () => {
          if (left-- === 0) task.commit(decideDeadline(task.aggregate, deadlineAt));
        });
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
      }),
    );
  });
});

/** Each step that has begun stands behind steps that ended as it asks, told by their agents alone. */
function expectTurns(task: FakeTask): void {
  const { delegations, record } = task.aggregate;
  for (const { step: index, state } of delegations) {
    if (state === 'planned' || state === 'skipped' || state === 'canceled') continue;
    for (const { step, outcome } of record.plan[index]?.after ?? []) {
      const before = delegations.filter((each) => record.plan[each.step]?.name === step);
      expect(before.every((each) => isEnded(each.state) && each.state !== 'skipped')).toBe(true);
      const isMet = before.some((each) => each.state === 'completed');
      if (outcome !== 'ended') expect(isMet).toBe(outcome === 'completed');
    }
  }
}

function statesOf(task: FakeTask): unknown {
  return [task.state, ...task.aggregate.delegations.map(({ state }) => state)];
}

function begunIn(task: FakeTask): string[] {
  return task.aggregate.delegations.filter(({ begunAt }) => begunAt !== null).map(({ id }) => id);
}
