import type { TaskState } from '../../protocol/a2a.js';
import type { Delegation, TaskRecord } from '../task.js';

/** A task that has ended, as far as the audit log tells of it: nothing of what was said in it. */
export interface EndedTask extends Pick<
  TaskRecord,
  | 'id'
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
  readonly delegations: readonly Pick<
    Delegation,
    'agentId' | 'skillId' | 'state' | 'calls' | 'begunAt' | 'updatedAt'
  >[];
}
