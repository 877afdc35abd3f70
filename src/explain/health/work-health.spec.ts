import { expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { configWith } from '../../config/index.js';
import type { StuckCount } from '../../tasks/index.js';
import { WorkHealth } from './work-health.js';

const RULE =
  'A task is stuck when no agent has begun it for 5 min (tasks.stuckQueued), or nothing was received of it for 15 min (tasks.stuckSilent).';

const summaryOf = async (counted: Partial<StuckCount>): Promise<string> => {
  const count = { submitted: 0, working: 0, isLeast: false, ...counted };
  const stuck = { count: () => Promise.resolve(count), longest: () => Promise.resolve([]) };
  const config = configWith({ tasks: { stuckQueuedMs: 300_000, stuckSilentMs: 900_000 } });
  const health = new WorkHealth(stuck, config, new SettableClock(0));
  return (await health.tasks()).summary;
};

it.each([
  [{}, 'No task is stuck.'],
  [
    { isLeast: true },
    'Of the tasks that were looked at, 1,000 of each state at most, none is stuck.',
  ],
  [{ working: 1 }, '1 task is stuck, 0 submitted and 1 working.'],
  [
    { submitted: 2, working: 1, isLeast: true },
    'At least 3 tasks are stuck, 2 submitted and 1 working.',
  ],
])('says in sentences what is stuck, and what that means: %o', async (counted, said) => {
  expect(await summaryOf(counted)).toBe(`${said} ${RULE}`);
});
