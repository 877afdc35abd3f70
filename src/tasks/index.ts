export {
  AppendParticipant,
  type AfterCommit,
  type Appended,
  type Beginning,
  type BegunDelegation,
} from './append-participant.js';
export { AgentCallbacks, CALLBACK_PATH } from './callbacks/agent-callbacks.js';
export { ContextStore, type HubContext } from './context-store.js';
export { headerOf, isShown } from './domain/event-header.js';
export { Signals } from './signals.js';
export { belongsTo } from './task-access.js';
export { TaskLog, type Created, type Decision } from './task-log.js';
export { TaskPositions } from './task-positions.js';
export { TaskPositionsModule } from './task-positions.module.js';
export { TaskService, type SendAnswer } from './task.service.js';
export {
  TaskStore,
  type Alongside,
  type TaskCursor,
  type TaskFilter,
  type TaskPage,
} from './task-store.js';
export type { StreamItem } from './task-streams.js';
export {
  FIRST_MESSAGE_SEQ,
  type ArtifactChunk,
  type Delegation,
  type DelegationState,
  type EventHeader,
  type EventKind,
  type NewTask,
  type TaskAggregate,
  type TaskEvent,
  type TaskRecord,
} from './task.js';
export { TasksModule } from './tasks.module.js';
export { textOf } from './text-of-events.js';
