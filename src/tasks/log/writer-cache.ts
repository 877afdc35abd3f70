import type { TaskWriter } from './task-writer.js';

/** How much the log keeps in memory. Tasks that are being written do not count as over the limit. */
export interface CacheLimits {
  readonly tasks: number;
  /** Tasks that have ended: who waited for one reads it right after its end, and hardly anybody later. */
  readonly endedTasks: number;
  /** Memory they take, roughly, in bytes: a character one, a value of theirs as much as it takes parsed. */
  readonly size: number;
  /** The same of large tasks, which have room of their own: one of them pushes no small one out. */
  readonly largeSize: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_CACHE_LIMITS: CacheLimits = {
  tasks: 10_000,
  endedTasks: 1_000,
  size: 64 * MIB,
  largeSize: 256 * MIB,
};

/** A task is large from this share of the room of the small ones on. */
const LARGE_SHARE = 1 / 16;

/** The writers of the tasks in use; the ones not used for longest are forgotten first. */
export class WriterCache {
  private readonly open: Shelf;
  private readonly ended: Shelf;
  private readonly large: Shelf;
  private readonly shelves: readonly Shelf[];
  private readonly largeFrom: number;

  constructor({ tasks, endedTasks, size, largeSize }: CacheLimits) {
    this.open = new Shelf(tasks, size);
    this.ended = new Shelf(endedTasks, size);
    this.large = new Shelf(tasks, largeSize);
    this.shelves = [this.open, this.ended, this.large];
    this.largeFrom = size * LARGE_SHARE;
  }

  get(taskId: string): TaskWriter | undefined {
    for (const shelf of this.shelves) {
      const writer = shelf.get(taskId);
      if (writer !== undefined) return writer;
    }
    return undefined;
  }

  /** Counts the writer as used now, and as what and as large as it is now. */
  touch(writer: TaskWriter): void {
    this.remove(writer.taskId);
    this.shelfOf(writer).add(writer);
  }

  remove(taskId: string): void {
    for (const shelf of this.shelves) shelf.remove(taskId);
  }

  /** Forgets idle writers over the limits, the oldest first. */
  trim(): void {
    for (const shelf of this.shelves) shelf.trim();
  }

  private shelfOf(writer: TaskWriter): Shelf {
    if (writer.size >= this.largeFrom) return this.large;
    return writer.isOfEnded ? this.ended : this.open;
  }
}

class Shelf {
  /** In order of last use, with the size each was counted with. */
  private readonly writers = new Map<string, { writer: TaskWriter; size: number }>();
  private size = 0;

  constructor(
    private readonly maxTasks: number,
    private readonly maxSize: number,
  ) {}

  get(taskId: string): TaskWriter | undefined {
    return this.writers.get(taskId)?.writer;
  }

  add(writer: TaskWriter): void {
    const { size } = writer;
    this.writers.set(writer.taskId, { writer, size });
    this.size += size;
  }

  remove(taskId: string): void {
    const known = this.writers.get(taskId);
    if (known === undefined) return;
    this.size -= known.size;
    this.writers.delete(taskId);
  }

  trim(): void {
    if (this.fits) return;
    for (const [taskId, { writer }] of this.writers) {
      if (this.fits) return;
      if (writer.idle) this.remove(taskId);
    }
  }

  private get fits(): boolean {
    return this.writers.size <= this.maxTasks && this.size <= this.maxSize;
  }
}
