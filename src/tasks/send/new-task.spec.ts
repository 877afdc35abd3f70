import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../agents/index.js';
import type { Scope } from '../../common/scope.js';
import type { HubRequest, Plan, Route } from '../../routing/index.js';
import { userMessage } from '../domain/fake-events.js';
import { CountingIds, NOW, planStep } from '../domain/fake-task.js';
import type { NewTask } from '../task.js';
import { delegatesOf, newTask, type TaskLimits } from './new-task.js';

const HOUR = 3_600_000;
const LIMITS: TaskLimits = { totalMs: HOUR, maxDurationMs: 24 * HOUR, maxCalls: 10 };

const PLAN: Plan = [
  planStep('collect', ['a', 'b'], { isResult: false, deadlineMs: 60_000 }),
  planStep('sum', ['c', 'd'], {
    strategy: 'one',
    after: [{ step: 'collect', outcome: 'completed' }],
  }),
];

function route(more: Partial<Route> = {}): Route {
  const chosen = ['a', 'b'].map((agentId) => ({ agentId, why: '' }));
  return { reason: 'tags', strategy: 'all', require: 'all', chosen, skipped: [], ...more };
}

function made(
  of: Route,
  limits: Partial<TaskLimits> = {},
  scopes: readonly Scope[] = ['a2a'],
): NewTask {
  const agents = delegatesOf(of).map((delegate) => ({
    ...delegate,
    agent: agentNamed(delegate.candidate.agentId),
    downstreamContextId: undefined,
  }));
  const request: Partial<HubRequest> = {
    principal: { id: 'p', organization: 'o', scopes: new Set(scopes) },
    message: userMessage('m1', 'hello'),
    extensions: [],
    hops: [],
    returnImmediately: false,
  };
  const choice = { id: 't', contextId: 'c', route: of, agents, keepsToken: false };
  return newTask(request as HubRequest, choice, { ...LIMITS, ...limits }, NOW, new CountingIds());
}

function agentNamed(id: string): Agent {
  const agent: Partial<Agent> = { id, budgets: {} };
  return { ...agent, card: { name: `Agent ${id}` } } as Agent;
}

const at = (ms: number): Date => new Date(NOW.getTime() + ms);

function shortOf({ firstUpdate }: NewTask): unknown {
  const payload = firstUpdate.events[0]!.payload;
  return payload.$case === 'task' && payload.value.metadata?.['urn:a2a-hub:routing:v1'];
}

describe('a new task', () => {
  it('has a delegation for every agent of every step; those of later steps are planned', () => {
    const { firstUpdate, record } = made(route({ plan: PLAN, strategy: 'synthesize' }));
    expect(firstUpdate.begins).toMatchObject([
      { agentId: 'a', position: 0, step: 0, state: 'queued', fallbacks: [] },
      { agentId: 'b', position: 1, step: 0, state: 'queued', fallbacks: [] },
      { agentId: 'c', position: 2, step: 1, state: 'planned', fallbacks: [{ agentId: 'd' }] },
    ]);
    expect(record.allowReply).toBe(false);
  });

  it('gives each as long as its agent and its step allow', () => {
    const { firstUpdate } = made(route({ plan: PLAN }));
    expect(firstUpdate.begins!.map(({ deadlineAt }) => deadlineAt)).toEqual([
      at(60_000),
      at(60_000),
      at(HOUR),
    ]);
  });

  it('may be open as long as its route says, but never longer than any task', () => {
    expect(made(route({ deadlineMs: 5000 })).record.deadlineAt).toEqual(at(5000));
    expect(made(route({ deadlineMs: 48 * HOUR })).record.deadlineAt).toEqual(at(24 * HOUR));
    expect(made(route()).record.deadlineAt).toEqual(at(24 * HOUR));
  });

  it('may make as many calls as the hub allows, fewer where the client asks for fewer', () => {
    expect(made(route()).record.route.maxCalls).toBe(10);
    expect(made(route({ maxCalls: 3 })).record.route.maxCalls).toBe(3);
    expect(made(route({ maxCalls: 300 })).record.route.maxCalls).toBe(10);
    const composite = { id: 'report', version: 2 };
    expect(made(route({ maxCalls: 300, composite })).record.route.maxCalls).toBe(300);
  });

  it('tells the client in short how it was routed', () => {
    expect(shortOf(made(route()))).toEqual({
      reason: 'tags',
      strategy: 'all',
      require: 'all',
      agents: [{ agentId: 'a' }, { agentId: 'b' }],
    });
    const synthesis = { plan: PLAN, strategy: 'synthesize', require: 'best-effort' } as const;
    expect(shortOf(made(route(synthesis)))).toMatchObject({ require: 'best-effort' });
    const composite = { id: 'report', version: 2 };
    const rule = { id: 'r1', name: 'Reports' };
    const planned = route({ plan: PLAN, strategy: 'plan', composite, rule });
    expect(shortOf(made(planned))).toEqual({
      reason: 'tags',
      strategy: 'plan',
      composite,
      steps: ['collect', 'sum'],
      agents: [
        { agentId: 'a', step: 'collect' },
        { agentId: 'b', step: 'collect' },
        { agentId: 'c', step: 'sum' },
      ],
    });
  });

  it('names the rule that decided to those who may manage rules only', () => {
    const ruled = route({ rule: { id: 'r1', name: 'Reports' } });
    expect(shortOf(made(ruled))).not.toHaveProperty('ruleId');
    expect(shortOf(made(ruled, {}, ['a2a', 'routing']))).toHaveProperty('ruleId', 'r1');
  });
});
