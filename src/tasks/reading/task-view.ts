import type { Task } from '../../protocol/a2a.js';

/** How much of a task an answer shows. */
export interface TaskView {
  /** The newest messages of the history, at most this many; 0 for none; undefined: not requested (A2A §3.2.4). */
  readonly historyLength: number | undefined;
  /** Default true. */
  readonly includeArtifacts?: boolean;
}

/** The task as the client wants to see it; never more than `limit` messages. Changes nothing. */
export function viewTask(task: Task, view: TaskView, limit: number): Task {
  const length = Math.min(view.historyLength ?? limit, limit);
  const all = task.history.length <= length;
  if (all && view.includeArtifacts !== false) return task;
  return {
    ...task,
    history: all ? task.history : length === 0 ? [] : task.history.slice(-length),
    artifacts: view.includeArtifacts === false ? [] : task.artifacts,
  };
}
