import { expect, it } from '@jest/globals';
import type {
  ActivityQuery,
  ActivityStore,
  ActivitySum,
} from '../../observability/activity/activity-store.js';
import { AgentHours } from './agent-hours.js';

/** What agents did, by their ids: completed, failed. */
function hoursOf(counts: Readonly<Record<string, readonly [number, number]>>): AgentHours {
  const sums = ({ kinds, agentIds = [] }: ActivityQuery): Promise<ActivitySum[]> => {
    expect(kinds).toEqual(['parts']);
    return Promise.resolve(
      agentIds.flatMap((agentId) => {
        const [completed, failed] = counts[agentId] ?? [0, 0];
        return [
          { kind: 'parts' as const, agentId, name: 'completed', count: completed },
          { kind: 'parts' as const, agentId, name: 'failed', count: failed },
        ];
      }),
    );
  };
  return new AgentHours({ sums } as unknown as ActivityStore, { now: () => new Date(0) } as never);
}

it('finds agents that fail most of their tasks among all there are, however many', async () => {
  const ids = Array.from({ length: 2501 }, (_, n) => `agent-${n}`);
  const hours = hoursOf({ 'agent-0': [0, 3], 'agent-2400': [2, 4], 'agent-2500': [1, 9] });
  expect(await hours.failing(ids)).toEqual([
    { agentId: 'agent-2500', completed: 1, failed: 9 },
    { agentId: 'agent-2400', completed: 2, failed: 4 },
    { agentId: 'agent-0', completed: 0, failed: 3 },
  ]);
});

it('says nothing of few failures, nor of as many as were completed', async () => {
  const hours = hoursOf({ few: [0, 2], even: [5, 5], good: [9, 4] });
  expect(await hours.failing(['few', 'even', 'good', 'unused'])).toEqual([]);
});
