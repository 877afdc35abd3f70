import { client } from '../../../api/client';
import type { Span } from '../../../api/time-span';
import { cancelTask } from '../cancel-task';
import { isEnded } from '../../../api/task-state';
import type { TaskSearch, TaskState } from './task-search';

/** Which tasks are meant: these, or all that fit. */
export type MeantTasks =
  | {
      readonly kind: 'ids';
      readonly ids: readonly string[];
      /** Those of them that were retried already. */
      readonly retried: readonly string[];
    }
  | { readonly kind: 'matching'; readonly search: TaskSearch; readonly span: Span };

/** What is done with many tasks at once. */
export interface ManyAction {
  readonly verb: string;
  /** `3 tasks canceled`. */
  readonly done: string;
  readonly title: string;
  /** On the button that chooses the rows that it is for. */
  readonly chooses: string;
  /** What "all that match" are. */
  readonly matching: string;
  readonly warning: string;
  readonly danger: boolean;
  /** Whether a reason may be given. */
  readonly asksReason: boolean;
  /** Whether those that were retried already are left out unless they are wanted. */
  readonly leavesOutRetried: boolean;
  /** The tasks for which it can be done. */
  readonly isFor: (state: TaskState) => boolean;
  readonly of: (id: string, reason: string) => Promise<unknown>;
}

/** Cancels as an operator, who may say why, or as the client of the tasks. */
export function cancelMany(asOperator: boolean): ManyAction {
  return {
    verb: 'Cancel',
    done: 'canceled',
    title: 'Cancel tasks',
    chooses: 'Choose all open rows',
    matching: 'that fit and have not ended.',
    warning:
      'Their agents are told to stop, and each ends as canceled with what it has by then. This cannot be taken back.',
    danger: true,
    asksReason: asOperator,
    leavesOutRetried: false,
    isFor: (state) => !isEnded(state),
    of: (id, reason) => cancelTask(id, { asOperator, reason }),
  };
}

/** Sends again what failed, as an operator. */
export const RETRY_MANY: ManyAction = {
  verb: 'Retry',
  done: 'sent again',
  title: 'Retry tasks',
  chooses: 'Choose all failed rows',
  matching: 'that fit and failed or were rejected.',
  warning:
    'The first message of each is sent again as a new task of the same owner, and is routed anew; later messages and webhooks are not repeated. The tasks that failed stay as they are. Each retry is logged.',
  danger: false,
  asksReason: false,
  leavesOutRetried: true,
  isFor: (state) => state === 'failed' || state === 'rejected',
  of: (id) => client.POST('/api/v1/tasks/{id}:retry', { params: { path: { id } } }),
};
