import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StreamResponse } from '../../protocol/a2a.js';
import { NO_CHANGE } from '../task.js';
import { decideDeadline, decideOutcome } from './delegation-decisions.js';
import { decideTaskFailed } from './task-decisions.js';
import { FakeTask, NOW, chunk, reply, snapshot, status, statusOf } from './fake-task.js';

const AGENTS = ['a', 'b', 'c'];

const ending = fc.constantFrom(
  status('completed', 'done'),
  status('completed'),
  status('failed', 'broken'),
  status('rejected'),
  status('canceled'),
  snapshot({ status: statusOf('completed') }),
);
const step = fc.oneof(
  fc
    .record({ id: fc.constantFrom('x', 'y'), text: fc.string(), append: fc.boolean() })
    .map(({ id, text, append }) => chunk(id, text, { append })),
  fc.string().map((text) => status('working', text)),
  fc.constantFrom(status('submitted'), status('auth', 'log in')),
);
/** What one agent sends, in its order, to its end. */
const script = fc
  .tuple(fc.array(step, { maxLength: 5 }), ending)
  .map(([steps, end]) => [...steps, end]);
const scripts = fc.tuple(script, script, script);

/** Which agent speaks next: any interleaving keeps each agent's own order. */
function interleave(all: readonly StreamResponse[][], order: readonly number[]) {
  const rest = all.map((each) => [...each]);
  const mixed: { agent: string; event: StreamResponse }[] = [];
  for (const n of [...order, ...rest.flatMap((events, i) => events.map(() => i))]) {
    const agent = AGENTS[n % AGENTS.length] ?? 'a';
    const event = rest[n % AGENTS.length]?.shift();
    if (event) mixed.push({ agent, event });
  }
  return mixed;
}

const order = fc.array(fc.nat(2), { maxLength: 20 });

function play(
  all: readonly StreamResponse[][],
  turns: readonly number[],
  require: Require,
): FakeTask {
  const task = new FakeTask({ agents: AGENTS, require });
  for (const { agent, event } of interleave(all, turns)) task.agent(event, agent);
  return task;
}

type Require = 'all' | 'best-effort';

function outcomeOf(task: FakeTask): unknown {
  const byId = [...task.task.artifacts].sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1));
  return {
    state: task.state,
    delegations: task.aggregate.delegations.map(({ id, state }) => ({ id, state })),
    artifacts: byId.map(({ artifactId, parts, metadata }) => ({ artifactId, parts, metadata })),
  };
}

describe('several agents in any interleaving', () => {
  it('end in the same state with the same artifacts when any may fail', () => {
    fc.assert(
      fc.property(scripts, order, order, (all, one, other) => {
        expect(outcomeOf(play(all, one, 'best-effort'))).toEqual(
          outcomeOf(play(all, other, 'best-effort')),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('end in the same state with the same artifacts when all are required and none fails', () => {
    const happy = scripts.map((all) => all.map((events) => [...events.slice(0, -1), DONE]));
    fc.assert(
      fc.property(happy, order, order, (all, one, other) => {
        const first = play(all, one, 'all');
        expect(first.state).toBe('COMPLETED');
        expect(outcomeOf(first)).toEqual(outcomeOf(play(all, other, 'all')));
      }),
      { numRuns: 200 },
    );
  });

  it('end failed, rejected or canceled alike when all are required and one fails', () => {
    fc.assert(
      fc.property(scripts, order, order, (all, one, other) => {
        expect(play(all, one, 'all').state).toBe(play(all, other, 'all').state);
      }),
      { numRuns: 200 },
    );
  });

  it('never show anything after the end, whatever else is decided then', () => {
    const late = { state: 'failed', reason: 'late' } as const;
    const far = new Date(NOW.getTime() + 1e12);
    fc.assert(
      fc.property(
        scripts,
        order,
        fc.constantFrom<Require>('all', 'best-effort'),
        (all, turns, require) => {
          const task = play(all, turns, require);
          for (const agent of AGENTS) {
            expect(task.agent(chunk('late', 'x'), agent)).toBe(NO_CHANGE);
            expect(task.agent(reply('late'), agent)).toBe(NO_CHANGE);
            expect(decideOutcome(task.aggregate, `d-${agent}`, late, NOW)).toBe(NO_CHANGE);
          }
          expect(decideDeadline(task.aggregate, far)).toBe(NO_CHANGE);
          expect(decideTaskFailed(task.aggregate, 'late', NOW)).toBe(NO_CHANGE);
        },
      ),
    );
  });
});

const DONE = status('completed');
