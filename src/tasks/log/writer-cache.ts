import { heapShare } from '../../common/heap-share.js';
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
const MAX_SIZE = 64 * MIB;
const MAX_LARGE_SIZE = 256 * MIB;
/** A process with a small heap keeps less: a character may be two bytes of it. */
const PART_OF_HEAP = 1 / 16;

/** What this process keeps. */
export function cacheLimits(): CacheLimits {
  return {
    tasks: 10_000,
    endedTasks: 1_000,
    size: heapShare(PART_OF_HEAP, MAX_SIZE),
    largeSize: heapShare(2 * PART_OF_HEAP, MAX_LARGE_SIZE),
  };
}

/** A task is large from this share of the room of the small ones on. */
const LARGE_SHARE = 1 / 16;
/** A task that goes on leaves its parts to the log once what is new of it takes this share of the room of large tasks. */
const OUTLINE_SHARE = 1 / 16;

/** And over the limits, from so much on, in bytes: less is not worth looking through the task. */
const LEAST_OUTLINED = MIB;

/** The writers of the tasks in use (ADR 0049). */
export class WriterCache {
  private readonly open: Shelf;
  private readonly ended: Shelf;
  private readonly large: Shelf;
  private readonly shelves: readonly Shelf[];
  private readonly largeFrom: number;
  private readonly outlineFrom: number;
  private readonly leastOutlined: number;

  constructor({ tasks, endedTasks, size, largeSize }: CacheLimits) {
    this.open = new Shelf(tasks, size);
    this.ended = new Shelf(endedTasks, size);
    this.large = new Shelf(tasks, largeSize);
    this.shelves = [this.open, this.ended, this.large];
    this.largeFrom = size * LARGE_SHARE;
    this.outlineFrom = largeSize * OUTLINE_SHARE;
    this.leastOutlined = Math.min(LEAST_OUTLINED, this.outlineFrom);
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
    if (!writer.isOfEnded && writer.unspared >= this.outlineFrom) writer.outline();
    this.shelfOf(writer).add(writer);
  }

  remove(taskId: string): void {
    for (const shelf of this.shelves) shelf.remove(taskId);
  }

  /** Over the limits: outlines large tasks that go on, and forgets idle writers; those not used for longest first. */
  trim(): void {
    for (const writer of this.large.excess()) {
      if (writer.isOfEnded) {
        if (writer.idle) this.remove(writer.taskId);
      } else if (writer.unspared >= this.leastOutlined) {
        writer.outline();
        this.resize(writer);
      }
    }
    for (const shelf of this.shelves) shelf.trim();
  }

  /** Counts the writer as large as it is now; where it stays on its shelf, as used when it was. */
  private resize(writer: TaskWriter): void {
    const shelf = this.shelfOf(writer);
    if (shelf !== this.large) this.large.remove(writer.taskId);
    shelf.add(writer);
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
    this.size += size - (this.writers.get(writer.taskId)?.size ?? 0);
    // One that is there keeps its place.
    this.writers.set(writer.taskId, { writer, size });
  }

  remove(taskId: string): void {
    const known = this.writers.get(taskId);
    if (known === undefined) return;
    this.size -= known.size;
    this.writers.delete(taskId);
  }

  /** Those to make smaller or forget, the oldest first, until it fits. */
  *excess(): Generator<TaskWriter, void, undefined> {
    if (this.fits) return;
    // One that is removed meanwhile, or resized, does not disturb it.
    for (const { writer } of this.writers.values()) {
      if (this.fits) return;
      yield writer;
    }
  }

  trim(): void {
    for (const writer of this.excess()) if (writer.idle) this.remove(writer.taskId);
  }

  private get fits(): boolean {
    return this.writers.size <= this.maxTasks && this.size <= this.maxSize;
  }
}
