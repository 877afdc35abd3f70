import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Activity } from '../../observability/activity/activity.js';
import { TaskState } from '../../protocol/a2a.js';
import { isAgentsFault, isCanceledByRequest, isOwnFailure } from '../domain/task-end-code.js';
import { TaskStore } from '../store/task-store.js';

const END_NAMES: ReadonlyMap<TaskState, string> = new Map([
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
  [TaskState.TASK_STATE_REJECTED, 'rejected'],
]);

/** Counts the tasks that this process begins and ends, why delegations fail, and which agents complete and fail them. */
@Injectable()
export class TaskActivity implements OnModuleInit {
  constructor(
    @Inject(TaskStore) private readonly store: Pick<TaskStore, 'onUsed' | 'onCommitted'>,
    private readonly activity: Activity,
  ) {}

  onModuleInit(): void {
    const { store, activity } = this;
    store.onUsed((changes) => {
      for (const { owner, begun, ended } of changes) {
        const { organization } = owner;
        if (begun > 0) activity.count('tasks', 'started', { organization }, 0, begun);
        if (ended === undefined) continue;
        for (const [state, count] of ended) {
          const name = END_NAMES.get(state);
          // What is deleted is counted down.
          if (name === undefined || count <= 0) continue;
          activity.count('tasks', name, { organization }, 0, count);
        }
      }
    });
    store.onCommitted((written) => {
      for (const { delegation, ended } of written) {
        if (!ended) continue;
        const { agentId, state, progress } = delegation;
        if (state === 'completed') activity.count('parts', 'completed', { agentId });
        const { endCode } = progress;
        if (endCode === undefined) continue;
        if (!isOwnFailure(endCode) || isCanceledByRequest(endCode)) continue;
        if (state === 'failed' && isAgentsFault(progress))
          activity.count('parts', 'failed', { agentId });
        activity.count('errors', endCode, { organization: delegation.organization });
      }
    });
  }
}
