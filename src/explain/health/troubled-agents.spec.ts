import { expect, it } from '@jest/globals';
import { byUrgency, type TroubledAgent } from './troubled-agents.js';

it('those that are down come first, and equals by their ids', () => {
  const of = (agentId: string, verdict: TroubledAgent['verdict']): TroubledAgent => ({
    ...{ agentId, name: agentId, verdict, breaker: 'closed', since: null, why: '' },
  });
  const agents = [of('d', 'degraded'), of('f', 'failing'), of('z', 'down'), of('b', 'down')];
  expect(agents.sort(byUrgency).map(({ agentId }) => agentId)).toEqual(['b', 'z', 'f', 'd']);
});
