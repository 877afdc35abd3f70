// The order of the test files: those that take long begin first, so that no worker is alone with one at the end.
import Sequencer from '@jest/test-sequencer';

/** Jest knows how long each took the last time; after a fresh clone it goes by size, which says little of these. */
const LONG = [
  'fleet.e2e-spec.ts',
  'chaos.e2e-spec.ts',
  'kill.e2e-spec.ts',
  'config.e2e-spec.ts',
  'secrets.e2e-spec.ts',
  'simulation.spec.ts',
  'heavy-messages.e2e-spec.ts',
  'unread-answers.e2e-spec.ts',
  'unread-bodies.e2e-spec.ts',
  'admin-answers.e2e-spec.ts',
  'compose.e2e-spec.ts',
  'access.e2e-spec.ts',
  'leavers.e2e-spec.ts',
  'push-delivery.e2e-spec.ts',
  'push-endpoints.e2e-spec.ts',
  'push-endpoints.spec.ts',
  'push-stores.spec.ts',
  'task-store.spec.ts',
  'task-log.spec.ts',
];

export default class LongFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONG.some((name) => path.endsWith(`/${name}`));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
