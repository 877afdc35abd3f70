import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../agent.js';
import type { AgentHealthView } from './agent-monitor.js';
import { agentTrouble } from './agent-trouble.js';

const AGENT = { id: 'a', enabled: true, cardTrouble: null } as unknown as Agent;
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
    [
      'failing, no health check having passed since',
      {},
      { health: 'degraded', verdict: 'failing', lastError: 'HTTP 502' },
      'Half or more of its last calls failed: HTTP 502.',
    ],
    ['full', {}, { isFull: true }, 'Its queue is full: new tasks for it are refused.'],
    ['disabled', { enabled: false }, { health: 'down', verdict: 'down' }, null],
    [
      'a card that is corrected',
      { cardTrouble: { kind: 'adjusted', reason: 'a word' } as Agent['cardTrouble'] },
      {},
      null,
    ],
    [
      'a card that could not be read',
      { cardTrouble: { kind: 'unread', reason: 'HTTP 500' } as Agent['cardTrouble'] },
      { health: 'unknown', verdict: 'unknown' },
      'Its card could not be read yet, and it gets no work: HTTP 500.',
    ],
    [
      'a card that cannot be used',
      { cardTrouble: { kind: 'unusable', reason: 'no JSON' } as Agent['cardTrouble'] },
      { health: 'down', verdict: 'down' },
      'Its card cannot be used, and it gets no work: no JSON.',
    ],
    [
      'a card that was refused',
      { cardTrouble: { kind: 'refused', reason: 'it is too large' } as Agent['cardTrouble'] },
      {},
      'Its card was refused, and the one before is used: it is too large.',
    ],
  ])('%s', (_, agent, view, why) => {
    expect(agentTrouble({ ...AGENT, ...agent }, { ...VIEW, ...view })).toBe(why);
  });
});
