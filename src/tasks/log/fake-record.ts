import { planOf, type Route } from '../../routing/index.js';
import { RECORD } from '../domain/fake-task.js';
import type { TaskRecord } from '../task.js';

const ROUTE: Route = { reason: 'tags', strategy: 'one', require: 'all', chosen: [], skipped: [] };

/** A task before its first update, for tests. */
export const NEW_RECORD: TaskRecord = {
  ...RECORD,
  seq: 0,
  route: ROUTE,
  plan: planOf(ROUTE),
  allowReply: false,
  deadlineAt: null,
};
