import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Artifact } from '../../protocol/a2a.js';
import type { PlanStep } from '../../routing/index.js';
import { NO_CHANGE } from '../task.js';
import { decideDeadline } from './decide-deadline.js';
import { decideOutcome } from './delegation-decisions.js';
import { isEnded } from './delegation-state.js';
import { completes, order, play, scripts, type Script } from './fake-scripts.js';
import { chunk, reply, status } from './fake-events.js';
import { FakeTask, NOW, planStep, why } from './fake-task.js';
import { decideCancelRequest, decideTaskFailed } from './task-decisions.js';

const AGENTS = ['a', 'b', 'c'];
type Policy = Partial<PlanStep>;

const ALL: Policy = { strategy: 'all', require: 'all' };
const BEST_EFFORT: Policy = { strategy: 'all', require: 'best-effort' };
const ANY: Policy = { strategy: 'all', require: 'any' };
const FIRST: Policy = { strategy: 'first' };
const quorum = (n: number): Policy => ({ strategy: 'all', require: 'quorum', quorum: n });

const policy = fc.constantFrom(ALL, BEST_EFFORT, ANY, FIRST, quorum(2), quorum(3));
const DONE = status('completed');

function fresh(policyOfStep: Policy): FakeTask {
  return new FakeTask({ plan: [planStep('task', AGENTS, policyOfStep)] });
}

function byAgent(all: readonly Script[]): Record<string, Script> {
  return Object.fromEntries(AGENTS.map((agent, i) => [agent, all[i] ?? []]));
}

function run(all: readonly Script[], turns: readonly number[], of: Policy): FakeTask {
  return play(fresh(of), byAgent(all), turns);
}

function artifactsOf(task: FakeTask, agent?: string): unknown[] {
  const wanted = ({ artifactId }: Artifact): boolean =>
    agent === undefined || artifactId.startsWith(`${agent}.`);
  return task.task.artifacts
    .filter(wanted)
    .sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1))
    .map(({ artifactId, parts, metadata }) => ({ artifactId, parts, metadata }));
}

function outcomeOf(task: FakeTask): unknown {
  return {
    state: task.state,
    delegations: task.aggregate.delegations.map(({ id, state }) => ({ id, state })),
    artifacts: artifactsOf(task),
  };
}

/** All that the agents have given after each of their first n events, as if nobody else were there. */
function givenAlone(agent: string, all: readonly Script[]): unknown[][] {
  const own = byAgent(all)[agent] ?? [];
  return [...own.keys(), own.length].map((n) =>
    artifactsOf(play(fresh(BEST_EFFORT), { [agent]: own.slice(0, n) }, [])),
  );
}

function completersOf(task: FakeTask): string[] {
  const completed = task.aggregate.delegations.filter(({ state }) => state === 'completed');
  return completed.map(({ agentId }) => agentId);
}

describe('several agents in any interleaving', () => {
  it('end in the same state with the same artifacts when any may fail', () => {
    fc.assert(
      fc.property(scripts, order, order, (all, one, other) => {
        expect(outcomeOf(run(all, one, BEST_EFFORT))).toEqual(
          outcomeOf(run(all, other, BEST_EFFORT)),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('end in the same state with the same artifacts when all are required and none fails', () => {
    const happy = scripts.map((all) => all.map((events) => [...events.slice(0, -1), DONE]));
    fc.assert(
      fc.property(happy, order, order, (all, one, other) => {
        const first = run(all, one, ALL);
        expect(first.state).toBe('COMPLETED');
        expect(outcomeOf(first)).toEqual(outcomeOf(run(all, other, ALL)));
      }),
    );
  });

  it('end in the same state when all are required and one fails, with what each had given', () => {
    fc.assert(
      fc.property(scripts, order, order, (all, one, other) => {
        const task = run(all, one, ALL);
        expect(task.state).toBe(run(all, other, ALL).state);
        for (const agent of AGENTS) {
          expect(givenAlone(agent, all)).toContainEqual(artifactsOf(task, agent));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('of a race give the result of one that completes, whole, and of nobody else', () => {
    fc.assert(
      fc.property(scripts, order, (all, turns) => {
        const task = run(all, turns, FIRST);
        const able = AGENTS.filter((_, i) => completes(all[i] ?? []));
        const [winner, ...more] = completersOf(task);
        expect(more).toEqual([]);
        if (winner === undefined) {
          expect(able).toEqual([]);
          expect(task.state).not.toBe('COMPLETED');
          return expect(artifactsOf(task)).toEqual([]);
        }
        expect(task.state).toBe('COMPLETED');
        expect(able).toContain(winner);
        return expect(artifactsOf(task)).toEqual(givenAlone(winner, all).at(-1));
      }),
    );
  });

  it.each([
    ['any', ANY, 1],
    ['a quorum of two', quorum(2), 2],
    ['a quorum of three', quorum(3), 3],
  ])('complete when %s can, with exactly as many as are needed', (_, of, needed) => {
    fc.assert(
      fc.property(scripts, order, (all, turns) => {
        const task = run(all, turns, of);
        const able = AGENTS.filter((agent) => completes(byAgent(all)[agent] ?? []));
        expect(task.state === 'COMPLETED').toBe(able.length >= needed);
        if (task.state === 'COMPLETED') expect(completersOf(task)).toHaveLength(needed);
        for (const agent of completersOf(task)) {
          expect(artifactsOf(task, agent)).toEqual(givenAlone(agent, all).at(-1));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leave nobody at work, nothing held and one terminal event, the last one', () => {
    fc.assert(
      fc.property(scripts, order, policy, (all, turns, of) => {
        const task = run(all, turns, of);
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
        expect(task.aggregate.held).toEqual([]);
        const ends = task.story().filter((line) => /^status (COMP|FAIL|CANC|REJ)/.test(line));
        expect(ends).toEqual([task.story().at(-1)]);
      }),
    );
  });

  it('never show anything after the end, whatever else is decided then', () => {
    const late = { state: 'failed', reason: 'late', code: 'AGENT_UNREACHABLE' } as const;
    const far = new Date(NOW.getTime() + 1e12);
    fc.assert(
      fc.property(scripts, order, policy, (all, turns, of) => {
        const task = run(all, turns, of);
        for (const agent of AGENTS) {
          expect(task.agent(chunk('late', 'x'), agent)).toBe(NO_CHANGE);
          expect(task.agent(reply('late'), agent)).toBe(NO_CHANGE);
          expect(decideOutcome(task.aggregate, `d-${agent}`, late, NOW)).toBe(NO_CHANGE);
        }
        expect(decideDeadline(task.aggregate, far)).toBe(NO_CHANGE);
        expect(decideTaskFailed(task.aggregate, why('late'), NOW)).toBe(NO_CHANGE);
        expect(() => decideCancelRequest(task.aggregate, NOW)).toThrow('has ended');
      }),
    );
  });
});

describe('a deadline or a cancel at any moment', () => {
  const LATER = new Date(NOW.getTime() + 60_000);

  it('ends a step by its policy at that moment', () => {
    fc.assert(
      fc.property(scripts, order, fc.nat(15), policy, (all, turns, moment, of) => {
        const task = fresh({ ...of, deadlineMs: 60_000 });
        let left = moment;
        play(task, byAgent(all), turns, () => {
          if (left-- === 0) task.commit(decideDeadline(task.aggregate, LATER));
        });
        const completed = completersOf(task).length;
        const isBestEffort = of.require === 'best-effort';
        const needed = of.strategy === 'first' || isBestEffort ? 1 : neededOf(of);
        expect(task.state === 'COMPLETED').toBe(completed >= needed);
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
      }),
    );
  });

  it('of the client never undoes what completed before, and ends what was not sent', () => {
    fc.assert(
      fc.property(scripts, order, fc.nat(15), policy, (all, turns, moment, of) => {
        const task = fresh(of);
        task.change('c', { state: 'queued', owner: null });
        let left = moment;
        let before: string[] = [];
        play(task, byAgent(all), turns, () => {
          if (left-- !== 0 || isOver(task)) return;
          before = completersOf(task);
          task.commit(decideCancelRequest(task.aggregate, NOW));
        });
        expect(completersOf(task)).toEqual(expect.arrayContaining(before));
        expect(task.aggregate.delegations.every(({ state }) => isEnded(state))).toBe(true);
      }),
    );
  });
});

function isOver(task: FakeTask): boolean {
  return ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].includes(task.state);
}

function neededOf({ require, quorum: n }: Policy): number {
  if (require === 'any') return 1;
  return require === 'quorum' ? (n ?? 0) : AGENTS.length;
}
