import { expect, it } from '@jest/globals';
import { TimedClock } from '../../common/fake-timed-clock.js';
import { Activity, type ActivityCount } from './activity.js';
import { ActivityRecorder } from './activity-recorder.js';
import type { ActivityStore } from './activity-store.js';

it('stores what was counted within three seconds, and later what could not be stored', async () => {
  const clock = new TimedClock();
  const stored: (readonly ActivityCount[])[] = [];
  let isAway = false;
  const add = (counts: readonly ActivityCount[]) => {
    if (isAway) return Promise.resolve({ left: counts, error: new Error('away') });
    stored.push(counts);
    return Promise.resolve({ left: [] });
  };
  const activity = new Activity(clock);
  const log = { warn: () => undefined, info: () => undefined };
  const store = { add, prune: () => Promise.resolve(0) } as unknown as ActivityStore;
  const config = { activity: { retentionDays: 7 } } as never;
  const recorder = new ActivityRecorder(activity, store, clock, log, config);
  recorder.onApplicationBootstrap();
  activity.count('tasks', 'started');
  await clock.elapse(3000);
  expect(stored).toMatchObject([[{ kind: 'tasks', name: 'started', count: 1 }]]);
  isAway = true;
  activity.count('tasks', 'started');
  await clock.elapse(3000);
  expect(stored).toHaveLength(1);
  isAway = false;
  activity.count('tasks', 'started');
  await clock.elapse(3000);
  expect(stored.slice(1)).toMatchObject([[{ name: 'started', count: 2 }]]);
  // Nothing was counted: nothing is written.
  await clock.elapse(3000);
  expect(stored).toHaveLength(2);
  await recorder.onModuleDestroy();
});
