export {
  AppendParticipant,
  type AfterCommit,
  type Appended,
  type Beginning,
  type BegunDelegation,
} from './store/append-participant.js';
export { AgentCallbacks, CALLBACK_PATH } from './callbacks/agent-callbacks.js';
export {
  CONSENT_CALLBACK_PATH,
  CONSENT_PATH,
  type ConsentOwner,
  type ConsentResult,
  type LinkView,
  TaskConsents,
} from './consents/task-consents.js';
export { cancelOf, retryOf } from './domain/operator-actions.js';
export { isEnded } from './domain/delegation-state.js';
export { answerNotReturned, taskNotFound } from './domain/task-errors.js';
export { operatorsView } from './reading/operators-view.js';
export { LIMIT_STATES } from './quotas/limit-usage.dto.js';
export { NearLimits, type NearLimit } from './quotas/near-limits.js';
export { type OpenTasks, type QueueLoad, WorkLoad } from './reading/work-load.js';
export { ContextStore } from './store/context-store.js';
export { headerOf, isDamaged, isShown } from './domain/event-header.js';
export { Signals } from './signals/signals.js';
export { belongsTo } from './store/visibility.js';
export {
  MOST_LOOKED_AT,
  type StuckCount,
  type StuckTask,
  StuckTasks,
} from './store/stuck-tasks.js';
export { TaskData } from './operations/task-data.js';
export { TaskLog, type Created, type Decision } from './log/task-log.js';
export { TaskRetries } from './store/task-retries.js';
export { TaskPositions } from './store/task-positions.js';
export { TaskPositionsModule } from './task-positions.module.js';
export { TaskService, type SendAnswer } from './operations/task.service.js';
export { type EnlistedWork } from './store/prepared-append.js';
export {
  TaskStore,
  type HasCapacity,
  type ReserveBytes,
  type TaskCursor,
  type TaskFilter,
  type TaskPage,
} from './store/task-store.js';
export { type StreamItem, takeBody } from './reading/task-streams.js';
export {
  FIRST_MESSAGE_SEQ,
  type ArtifactChunk,
  type Attempt,
  type ClientWaits,
  type Delegation,
  type DelegationState,
  type EventHeader,
  type EventKind,
  type LogHeader,
  type NewTask,
  type TaskAggregate,
  type TaskEvent,
  type TaskRecord,
} from './task.js';
export { TasksModule } from './tasks.module.js';
export { memoryOfEvent } from './log/task-values.js';
export { textOf } from './log/text-of-events.js';
