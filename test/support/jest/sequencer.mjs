// The order of the test files: those that take long begin first, so that no worker is alone with one at the end.
import Sequencer from '@jest/test-sequencer';

/**
 * In this order. Jest knows how long each took the last time; after a fresh clone it goes by size, which says little
 * of these. Those that start hubs as processes are apart from each other: several at once would wait for the cores.
 */
const LONG = [
  'fleet.e2e-spec.ts',
  'unread-bodies.e2e-spec.ts',
  'endless-agents.e2e-spec.ts',
  'audit-tasks.e2e-spec.ts',
  'hostile-rest.e2e-spec.ts',
  'unread-answers.e2e-spec.ts',
  'access.e2e-spec.ts',
  'admin-answers.e2e-spec.ts',
  'kill.e2e-spec.ts',
  'hostile-grpc.e2e-spec.ts',
  'access-matrix.e2e-spec.ts',
  'audit-export.e2e-spec.ts',
  'push-stores.spec.ts',
  'push-delivery.e2e-spec.ts',
  'task-store.spec.ts',
  'chaos.e2e-spec.ts',
  'leavers.e2e-spec.ts',
  'task-log.spec.ts',
  'hostile-json-rpc.e2e-spec.ts',
  'audit.spec.ts',
  'health.e2e-spec.ts',
  'push-endpoints.spec.ts',
  'config.e2e-spec.ts',
  'simulation.spec.ts',
  'heavy-messages.e2e-spec.ts',
  'push-endpoints.e2e-spec.ts',
  'secrets.e2e-spec.ts',
  'compose.e2e-spec.ts',
  // Those in a browser, which run by themselves.
  'scopes.browser-spec.ts',
  'access-actions.browser-spec.ts',
  'webhooks-actions.browser-spec.ts',
  'pages.browser-spec.ts',
];

export default class LongFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = LONG.findIndex((name) => path.endsWith(`/${name}`));
      return at < 0 ? LONG.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
