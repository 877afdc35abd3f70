import { describe, expect, it } from '@jest/globals';
import type { Agent, AgentHealthView } from '../../agents/index.js';
import { agentTrouble, byUrgency, type TroubledAgent } from './troubled-agents.js';

const AGENT = { id: 'a', card: { name: 'The agent' }, cardTrouble: null } as unknown as Agent;
const VIEW: AgentHealthView = {
  ...{ health: 'healthy', verdict: 'healthy', breaker: 'closed', since: new Date(0) },
  ...{ outstanding: 0, queued: 0, isFull: false, lastOkAt: null, latencyMs: null },
  ...{ lastError: null, taskFailureRate: null, lastTaskError: null },
  tasksEnded: { completed: 0, failed: 0 },
};

describe('what is wrong with an agent', () => {
  it.each<[string, Partial<Agent>, Partial<AgentHealthView>, string | null]>([
    ['nothing', {}, {}, null],
    ['nothing: not called yet', {}, { health: 'unknown', verdict: 'unknown' }, null],
    [
      'down',
      {},
      { health: 'down', verdict: 'down', lastError: 'HTTP 500' },
      'It is down: HTTP 500.',
    ],
    ['down, without an error', {}, { health: 'down', verdict: 'down' }, 'It is down.'],
    [
      'degraded by its tasks',
      {},
      { health: 'degraded', verdict: 'degraded', lastTaskError: 'no space left' },
      'It is degraded: no space left.',
    ],
    [
      'failing',
      {},
      { verdict: 'failing', lastError: 'HTTP 502' },
      'Its health checks pass, but half or more of its last calls failed: HTTP 502.',
    ],
    ['full', {}, { isFull: true }, 'Its queue is full: new tasks for it are refused.'],
    [
      'a card that was refused',
      { cardTrouble: { kind: 'refused', reason: 'it is too large' } as Agent['cardTrouble'] },
      {},
      'Its card was refused, and the one before is used: it is too large.',
    ],
  ])('%s', (_, agent, view, why) => {
    const found = agentTrouble({ ...AGENT, ...agent }, { ...VIEW, ...view });
    expect(found?.why ?? null).toBe(why);
    if (found) expect(found).toMatchObject({ agentId: 'a', name: 'The agent', since: new Date(0) });
  });
});

it('those that are down come first, and equals by their ids', () => {
  const of = (agentId: string, verdict: TroubledAgent['verdict']): TroubledAgent => ({
    ...{ agentId, name: agentId, verdict, breaker: 'closed', since: null, why: '' },
  });
  const agents = [of('d', 'degraded'), of('f', 'failing'), of('z', 'down'), of('b', 'down')];
  expect(agents.sort(byUrgency).map(({ agentId }) => agentId)).toEqual(['b', 'z', 'f', 'd']);
});
