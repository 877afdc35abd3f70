import type { TaskWriter } from './task-writer.js';

/** How much the log keeps in memory. Tasks that are being written do not count as over the limit. */
export interface CacheLimits {
  readonly tasks: number;
  /** Characters of logs and checkpoints, roughly. */
  readonly size: number;
}

export const DEFAULT_CACHE_LIMITS: CacheLimits = { tasks: 10_000, size: 64 * 1024 * 1024 };

/** The writers of the tasks in use; the ones not used for longest are forgotten first. */
export class WriterCache {
  /** In order of last use, with the size each was counted with. */
  private readonly writers = new Map<string, { writer: TaskWriter; size: number }>();
  private size = 0;

  constructor(private readonly limits: CacheLimits) {}

  get(taskId: string): TaskWriter | undefined {
    return this.writers.get(taskId)?.writer;
  }

  /** Counts the writer as used now, and as large as it is now. */
  touch(writer: TaskWriter): void {
    this.remove(writer.taskId);
    this.writers.set(writer.taskId, { writer, size: writer.size });
    this.size += writer.size;
  }

  remove(taskId: string): void {
    const known = this.writers.get(taskId);
    if (known === undefined) return;
    this.size -= known.size;
    this.writers.delete(taskId);
  }

  /** Forgets idle writers over the limits, the oldest first. */
  trim(): void {
    if (this.writers.size <= this.limits.tasks && this.size <= this.limits.size) return;
    for (const [taskId, { writer }] of this.writers) {
      if (this.writers.size <= this.limits.tasks && this.size <= this.limits.size) return;
      if (writer.idle) this.remove(taskId);
    }
  }
}
