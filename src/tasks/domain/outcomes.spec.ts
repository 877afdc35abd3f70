import { describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { decideFailover, decideOutcome } from './delegation-decisions.js';
import { status } from './fake-events.js';
import { FakeTask, NOW, planStep, why } from './fake-task.js';

describe('an outcome', () => {
  it('is the state of the task with its reason', () => {
    const task = new FakeTask();
    const reason = 'The agent did not answer.';
    const end = {
      state: 'failed',
      reason,
      code: 'AGENT_UNREACHABLE',
      agentNotified: true,
    } as const;
    task.commit(decideOutcome(task.aggregate, 'd-a', end, NOW));
    expect(task.story()).toEqual(['status FAILED: The agent did not answer.']);
    expect(task.delegation()).toMatchObject({ state: 'failed', owner: null, cancelPending: false });
  });

  it.each([
    ['has the message', {}, true, 'runner'],
    ['waits for its client', { state: 'input-required', downstreamTaskId: 'd' }, true, 'runner'],
    ['waits and has no owner', { downstreamTaskId: 'd', owner: null }, true, null],
    ['was not asked yet', { state: 'queued' }, false, null],
  ] as const)('leaves its agent to be told when it %s', (_, delegation, cancelPending, owner) => {
    const task = new FakeTask({ delegation });
    const end = { state: 'canceled', reason: 'enough', code: 'CANCELED_BY_CLIENT' } as const;
    task.commit(decideOutcome(task.aggregate, 'd-a', end, NOW));
    expect(task.delegation()).toMatchObject({ cancelPending, owner });
  });

  it('of one among several is shown and counted', () => {
    const task = new FakeTask({ agents: ['a', 'b'], require: 'best-effort' });
    const outcome = { state: 'failed', reason: 'gone', code: 'AGENT_UNREACHABLE' } as const;
    task.commit(decideOutcome(task.aggregate, 'd-a', outcome, NOW));
    expect(task.story()).toEqual(['status WORKING: Agent a failed: gone']);
  });

  it('keeps a long reason short and well-formed', () => {
    const task = new FakeTask();
    const outcome = {
      state: 'failed',
      reason: '😀'.repeat(600),
      code: 'AGENT_UNREACHABLE',
    } as const;
    task.commit(decideOutcome(task.aggregate, 'd-a', outcome, NOW));
    const { reason } = task.delegation();
    expect(reason?.length).toBeLessThanOrEqual(500);
    expect(reason).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe('failover', () => {
  const fallbacks = [{ agentId: 'b', skillId: 's' }, { agentId: 'c' }];

  it('asks the next agent, unseen by the client', () => {
    const task = new FakeTask({ delegation: { fallbacks, downstreamContextId: 'down-context' } });
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), NOW, (id) => `Agent ${id}`));
    expect(task.story()).toEqual([]);
    expect(task.delegation()).toMatchObject({
      state: 'queued',
      agentId: 'b',
      agentName: 'Agent b',
      skillId: 's',
      fallbacks: [{ agentId: 'c' }],
      downstreamContextId: null,
      owner: null,
      reason: 'Agent a: refused',
    });
  });

  it('is shown with the next status, in the short form of the route', () => {
    const short = { reason: 'tags', agents: [{ agentId: 'a' }, { agentId: 'z' }] };
    const task = new FakeTask({ agents: ['a', 'z'], delegation: { fallbacks } });
    task.task.metadata = { [ROUTING_EXTENSION_URI]: short, own: 1 };
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), NOW));
    task.claim().agent(status('working', 'reading'));
    const now = { ...short, agents: [{ agentId: 'b', skillId: 's' }, { agentId: 'z' }] };
    expect(task.task.metadata).toEqual({ [ROUTING_EXTENSION_URI]: now, own: 1 });
    const told = task.log.map(
      ({ payload }) => payload.$case === 'statusUpdate' && payload.value.metadata,
    );
    expect(told).toEqual([{ [ROUTING_EXTENSION_URI]: now }]);
    task.agent(status('working', 'writing'));
    expect(task.log.at(-1)?.payload.value).toMatchObject({ metadata: undefined });
  });

  it('names the step of the agent that has taken over', () => {
    const agents = [
      { agentId: 'a', step: 'draft' },
      { agentId: 'c', step: 'polish' },
    ];
    const plan = [
      planStep('draft', ['a'], { isResult: false }),
      planStep('polish', ['c'], { after: [{ step: 'draft', outcome: 'completed' }] }),
    ];
    const task = new FakeTask({ plan, delegation: { fallbacks: [{ agentId: 'b' }] } });
    task.task.metadata = { [ROUTING_EXTENSION_URI]: { agents, steps: ['draft', 'polish'] } };
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), NOW));
    task.claim().agent(status('completed'));
    expect(task.task.metadata[ROUTING_EXTENSION_URI]).toEqual({
      agents: [
        { agentId: 'b', step: 'draft' },
        { agentId: 'c', step: 'polish' },
      ],
      steps: ['draft', 'polish'],
    });
  });

  it('fails with every reason when nobody is left', () => {
    const task = new FakeTask({ delegation: { fallbacks } });
    for (const reason of ['refused', 'timed out', 'said no']) {
      task.commit(decideFailover(task.aggregate, 'd-a', why(reason), NOW));
      if (task.state !== 'FAILED') task.claim();
    }
    expect(task.story()).toEqual([
      'status FAILED: No agent took the message. Agent a: refused; b: timed out; c: said no',
    ]);
  });

  it('fails with the one reason where there never was another agent', () => {
    const task = new FakeTask();
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), NOW));
    expect(task.story()).toEqual(['status FAILED: refused']);
  });

  it('is too late once the agent has accepted', () => {
    const task = new FakeTask({ delegation: { fallbacks } });
    task.agent(status('submitted'));
    task.commit(decideFailover(task.aggregate, 'd-a', why('broke off'), NOW));
    expect(task.story()).toEqual(['status FAILED: broke off']);
    expect(task.delegation().agentId).toBe('a');
  });

  it('asks nobody more than the calls allow; one that was not sent leaves its call to the next', () => {
    const nameOf = (id: string): string => id;
    const after = (wasSent: boolean): FakeTask => {
      const task = new FakeTask({ maxCalls: 1, delegation: { fallbacks, calls: 1 } });
      return task.commit(decideFailover(task.aggregate, 'd-a', why('gone'), NOW, nameOf, wasSent));
    };
    expect(after(true).state).toBe('FAILED');
    expect(after(true).delegation()).toMatchObject({
      progress: { endCode: 'MAX_CALLS_REACHED' },
      reason: expect.stringContaining('gone'),
    });
    expect(after(false).delegation()).toMatchObject({ state: 'queued', agentId: 'b', calls: 0 });
  });

  it('of a message that waits for its agent has its call already', () => {
    const waiting = { fallbacks, calls: 0, state: 'queued' } as const;
    const task = new FakeTask({ maxCalls: 1, delegation: waiting });
    task.commit(decideFailover(task.aggregate, 'd-a', why('not now'), NOW, (id) => id, false));
    expect(task.delegation()).toMatchObject({ state: 'queued', agentId: 'b', calls: 0 });
  });

  it('ends canceled when the client has asked for that', () => {
    const task = new FakeTask({ delegation: { fallbacks } });
    task.commit({ events: [], record: { cancelRequestedAt: NOW } });
    task.commit(decideFailover(task.aggregate, 'd-a', why('refused'), NOW));
    expect(task.state).toBe('CANCELED');
  });
});
