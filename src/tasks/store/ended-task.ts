import type { Route } from '../../routing/index.js';
import type { TaskState } from '../../protocol/a2a.js';
import type { Delegation, EndCode, TaskRecord } from '../task.js';

/** A task that has ended, as far as the audit log and the log tell of it: nothing of what was said in it. */
export interface EndedTask extends Pick<
  TaskRecord,
  | 'id'
  | 'contextId'
  | 'principalId'
  | 'organization'
  | 'traceparent'
  | 'createdAt'
  | 'statusAt'
  | 'keyId'
  | 'identityId'
  | 'issuer'
  | 'chain'
  | 'requestId'
> {
  readonly state: TaskState;
  /** Why it has not completed; null where it has, and where that was not noted. */
  readonly endCode: EndCode | null;
  readonly route: Pick<Route, 'reason' | 'strategy' | 'rule' | 'composite'>;
  readonly delegations: readonly EndedDelegation[];
}

/** Ended tasks that were taken at once. */
export interface TakenTasks {
  readonly tasks: readonly EndedTask[];
  /** There may be more to take. */
  readonly isMore: boolean;
}

/** A delegation of a task that has ended. */
export interface EndedDelegation extends Pick<
  Delegation,
  'agentId' | 'skillId' | 'state' | 'calls' | 'begunAt' | 'updatedAt'
> {
  /** As that of the task. */
  readonly endCode: EndCode | null;
  /** When its message was sent and it ended, where that was noted. */
  readonly times: Delegation['progress']['times'];
}
