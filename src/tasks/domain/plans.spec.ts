import { describe, expect, it } from '@jest/globals';
import type { DelegationState } from '../task.js';
import { decideDeadline } from './decide-deadline.js';
import { play, type Script } from './fake-scripts.js';
import { chunk, snapshot, status, statusOf } from './fake-events.js';
import { after, CHAIN, CONDITIONAL } from './fake-plans.js';
import { FakeTask, NOW, planStep } from './fake-task.js';

const DONE = status('completed');
describe('a chain', () => {
  it('holds what an inner step gives, and begins the next one with it', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(chunk('x', 'one', { lastChunk: true }), 'a');
    expect(task.delegation('b').state).toBe('planned');
    task.agent(DONE, 'a');
    expect(task.delegation('b')).toMatchObject({ state: 'queued', begunAt: NOW });
    expect(task.task.artifacts).toEqual([]);
    task.claim('b').agent(chunk('y', 'two', { lastChunk: true }), 'b');
    task.agent(DONE, 'b');
    expect(task.story()).toEqual([
      'held a.x=one.',
      'status WORKING: Agent a completed.',
      'artifact b.y=two.',
      'status WORKING: Agent b completed.',
      'status COMPLETED: 2 of 2 agents completed.',
    ]);
    expect(task.aggregate.held).toEqual([]);
  });

  it('gives what was finished when it breaks, and says which step, which agent and why', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(chunk('x', 'one', { lastChunk: true }), 'a');
    task.agent(DONE, 'a');
    task.claim('b').agent(status('failed', 'out of paper'), 'b');
    expect(task.story().slice(-2)).toEqual([
      'artifact a.x=one.',
      'status FAILED: 1 of 2 agents completed. Missing: step "polish": Agent b failed (out of paper).',
    ]);
  });

  it('gives only what was finished of a step that failed', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(chunk('x', 'whole', { lastChunk: true }), 'a');
    task.agent(chunk('y', 'half'), 'a');
    task.agent(status('failed'), 'a');
    expect(task.task.artifacts.map(({ artifactId }) => artifactId)).toEqual(['a.x']);
    expect(task.state).toBe('FAILED');
    expect(task.delegation('b')).toMatchObject({
      state: 'skipped',
      reason: 'Step "draft" did not complete.',
    });
  });

  it('is rejected when nobody but the agent that rejected it was asked', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(status('rejected', 'not mine'), 'a');
    expect(task.state).toBe('REJECTED');
  });

  it('names the step an artifact comes from', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(DONE, 'a');
    task.claim('b').agent(chunk('y', 'two'), 'b');
    expect(task.task.artifacts[0]?.metadata).toEqual({
      'urn:a2a-hub:routing:v1': { agentId: 'b', delegationId: 'd-b', step: 'polish' },
    });
  });

  it('asks for input in any step, and goes on after the answer', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(status('input', 'which paper?'), 'a');
    expect(task.state).toBe('INPUT_REQUIRED');
    task.change('a', { state: 'sending' }).agent(DONE, 'a');
    expect(task.state).toBe('WORKING');
    expect(task.delegation('b').state).toBe('queued');
  });
});

describe('what is held', () => {
  it('is not given twice by a whole task after a cut, and lacks nothing', () => {
    const task = new FakeTask({ plan: CHAIN });
    task.agent(chunk('x', 'one'), 'a');
    const artifacts = [
      { ...artifactOf('x'), parts: [textOf('one'), textOf('two')] },
      { ...artifactOf('z'), parts: [textOf('three')] },
    ];
    task.agent(snapshot({ status: statusOf('working'), artifacts }), 'a');
    task.agent(snapshot({ status: statusOf('completed'), artifacts }), 'a');
    expect(task.story().filter((line) => line.startsWith('held'))).toEqual([
      'held a.x=one',
      'held a.x+two',
      'held a.z=three',
    ]);
    expect(task.aggregate.held.map(({ parts }) => parts.length)).toEqual([2, 1]);
  });

  it('is released in the order it came, also under ids that are numbers', () => {
    const task = new FakeTask({ plan: CHAIN });
    for (const id of ['10', 'x', '2']) task.agent(chunk(id, id, { lastChunk: true }), 'a');
    task.agent(status('failed'), 'a');
    expect(task.task.artifacts.map(({ artifactId }) => artifactId)).toEqual(['a.10', 'a.x', 'a.2']);
  });

  it('is released in events of at most a mebibyte', () => {
    const task = new FakeTask({ plan: [planStep('race', ['a', 'b'], { strategy: 'first' })] });
    const half = 'x'.repeat(600 * 1024);
    for (const append of [false, true, true]) task.agent(chunk('x', half, { append }), 'a');
    task.agent(DONE, 'a');
    const released = task.log.filter(({ kind }) => kind === 'artifact');
    const shapes = released.map(({ payload }) =>
      payload.$case === 'artifactUpdate'
        ? [payload.value.append, payload.value.lastChunk, payload.value.artifact?.parts.length]
        : [],
    );
    expect(shapes).toEqual([
      [false, false, 1],
      [true, false, 1],
      [true, true, 1],
    ]);
    expect(task.task.artifacts[0]?.parts).toHaveLength(3);
    expect(task.aggregate.held).toEqual([]);
  });
});

describe('steps on conditions', () => {
  it.each<[string, Script, Record<string, DelegationState>, string]>([
    ['completed', [DONE], { b: 'queued', c: 'skipped', d: 'queued' }, 'WORKING'],
    ['failed', [status('failed')], { b: 'skipped', c: 'queued', d: 'queued' }, 'WORKING'],
  ])('begin or are skipped once the step before has %s', (_, events, states, state) => {
    const task = play(new FakeTask({ plan: CONDITIONAL }), { a: events }, []);
    for (const [agent, expected] of Object.entries(states)) {
      expect(task.delegation(agent).state).toBe(expected);
    }
    expect(task.state).toBe(state);
  });

  it('complete a task whose optional step failed, with the step that replaced it', () => {
    const said = { a: [status('failed')], c: [DONE], d: [DONE] };
    expect(play(new FakeTask({ plan: CONDITIONAL }), said, []).state).toBe('COMPLETED');
  });

  it('are not looked at again when an agent goes on working', () => {
    let looks = 0;
    const polish = planStep('polish', ['b']);
    const watched = Object.defineProperty({ ...polish }, 'after', {
      get: () => ((looks += 1), after('draft')),
    });
    const task = new FakeTask({ plan: [planStep('draft', ['a'], { isResult: false }), watched] });
    task.agent(status('working', 'one'), 'a');
    looks = 0;
    task.agent(status('working', 'two'), 'a');
    expect(task.story().at(-1)).toBe('status WORKING: Agent a: two');
    expect(looks).toBe(0);
    task.agent(DONE, 'a');
    expect(task.delegation('b').state).toBe('queued');
    expect(looks).toBeGreaterThan(0);
  });
});

describe('the deadline of a step', () => {
  it('ends the question of its agent, and leaves that of another step', () => {
    const plan = [
      planStep('left', ['a'], { deadlineMs: 5000, isOptional: true }),
      planStep('right', ['b']),
    ];
    const task = new FakeTask({ plan });
    task.agent(status('input', 'one?'), 'a');
    task.agent(status('input', 'two?'), 'b');
    expect(waitingIn(task)).toEqual(['d-a', 'd-b']);
    task.commit(decideDeadline(task.aggregate, new Date(NOW.getTime() + 5000)));
    expect(task.state).toBe('INPUT_REQUIRED');
    expect(waitingIn(task)).toEqual(['d-b']);
    expect(task.story().at(-1)).toBe('status INPUT_REQUIRED: Agent b waits for input: two?');
  });

  it('counts from its beginning, and so do the budgets of its agents', () => {
    const plan = [
      planStep('draft', ['a'], { isResult: false }),
      planStep('polish', ['b', 'c'], {
        require: 'best-effort',
        after: after('draft'),
        deadlineMs: 5000,
      }),
    ];
    const task = new FakeTask({ plan });
    const late = new Date(NOW.getTime() + 5000);
    task.change('b', { deadlineAt: late }).change('c', { deadlineAt: late });
    expect(decideDeadline(task.aggregate, late).events).toEqual([]);
    const begin = new Date(NOW.getTime() + 7000);
    task.agent(DONE, 'a', begin);
    task.claim('b').claim('c');
    expect(task.delegation('b').deadlineAt).toEqual(new Date(NOW.getTime() + 12_000));
    task.agent(DONE, 'b');
    expect(decideDeadline(task.aggregate, new Date(NOW.getTime() + 11_000)).events).toEqual([]);
    task.commit(decideDeadline(task.aggregate, new Date(NOW.getTime() + 12_000)));
    expect(task.delegation('c')).toMatchObject({ state: 'canceled' });
    expect(task.story().at(-1)).toBe(
      'status COMPLETED: 2 of 3 agents completed. Missing: step "polish": Agent c was canceled (The step\'s deadline of 5 s has passed).',
    );
  });
});

describe('the budget of calls', () => {
  it('fails a step that it has no call left for', () => {
    const task = new FakeTask({ plan: CHAIN, maxCalls: 1 });
    task.agent(DONE, 'a');
    expect(task.state).toBe('FAILED');
    expect(task.delegation('b').reason).toBe(
      'The calls to agents that the task may make (1) are used up.',
    );
  });

  it('leaves what has begun alone', () => {
    const task = new FakeTask({ plan: CHAIN, maxCalls: 2 });
    play(task, { a: [DONE], b: [DONE] }, []);
    expect(task.state).toBe('COMPLETED');
  });
});

/** The delegations that the task's status says wait for the client. */
function waitingIn({ task }: FakeTask): string[] {
  const data = task.status?.message?.metadata?.['urn:a2a-hub:routing:v1'] as
    | { waiting: { delegationId: string }[] }
    | undefined;
  return (data?.waiting ?? []).map(({ delegationId }) => delegationId);
}

function artifactOf(artifactId: string) {
  const { payload } = chunk(artifactId, '');
  if (payload?.$case !== 'artifactUpdate' || !payload.value.artifact) throw new Error('no chunk');
  return payload.value.artifact;
}

function textOf(text: string) {
  const part = artifactOf(text).parts[0];
  if (!part) throw new Error('no part');
  return { ...part, content: { $case: 'text' as const, value: text } };
}
